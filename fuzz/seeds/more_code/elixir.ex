qP7
defmodule Shop.User do
  alias Shop.{Repo, Mail}

  @doc "Greets."
  def greet(user) when is_map(user) do
    "hi"
  end
end

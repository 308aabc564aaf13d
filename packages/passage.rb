# A template: ground/package/formula enters the addresses and the checksum.
class Passage < Formula
  desc "Client of pg_passage: splits documents, embeds them and loads them into PostgreSQL"
  homepage "HOMEPAGE"
  url "URL"
  version "0.2.0"
  sha256 "SHA256"
  license "Apache-2.0"

  depends_on "rust" => :build
  uses_from_macos "python" => :build

  def install
    system "cargo", "install", *std_cargo_args(path: "client/passage")
    generate_completions_from_executable(bin/"passage", "completions")
    man1.mkpath
    system bin/"passage", "manual-pages", man1
  end

  test do
    (testpath/"note.md").write "# Title\n\nText.\n"
    assert_match "Title", shell_output("#{bin}/passage split --sizer characters note.md")
  end
end

kP7
local json = require("cjson")
local M = {}

-- Greets.
function M.greet(name)
  return "hi"
end

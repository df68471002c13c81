-- A session in Neovim with cdpor lsp: each feature is used the way a user does it, and what it did is written to the file said.
local said = {}
local function say(...) table.insert(said, table.concat({ ... }, " ")) end
local function await(what, done)
  if not vim.wait(20000, done, 20) then
    say("nothing came of", what)
    vim.fn.writefile(said, "said")
    vim.cmd("cquit")
  end
end
local function lines() return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n") end
local function changed(what, act)
  local before = lines()
  act()
  await(what, function() return lines() ~= before end)
end
local function go(text)
  vim.fn.cursor(1, 1)
  if vim.fn.search("\\V" .. text, "c") == 0 then say("there is no", text) end
end

vim.cmd("edit p.yaml")
local config = { name = "cdpor", cmd = { "cdpor", "lsp" }, root_dir = vim.fn.getcwd() }
local id
if vim.lsp.start then
  id = vim.lsp.start(config)
else -- before 0.8
  id = vim.lsp.start_client(config)
  vim.lsp.buf_attach_client(0, id)
end
local function request(method, params)
  local answers = vim.lsp.buf_request_sync(0, method, params, 20000)
  return answers and answers[id] and answers[id].result
end
local function here() return vim.lsp.util.make_position_params(0, "utf-16") end
vim.ui.select = function(items, _, choose) choose(items[1], 1) end

await("the diagnostics", function() return #vim.diagnostic.get(0) > 0 end)
for _, d in ipairs(vim.diagnostic.get(0)) do say("diagnostic", d.code or d.user_data.lsp.code, d.message:gsub("\n", ": "), "") end
go("m.lock")
changed("the quick fix", vim.lsp.buf.code_action)
say("quick fix:", vim.fn.getline("."))
await("the end of the diagnostics", function() return #vim.diagnostic.get(0) == 0 end)

changed("the formatting", function()
  if vim.lsp.buf.format then vim.lsp.buf.format({ timeout_ms = 20000 }) else vim.lsp.buf.formatting_sync(nil, 20000) end
end)
go("x = mine")
say("formatted:", vim.fn.getline("."))

go("mine")
vim.lsp.buf.references()
await("the references", function() return #vim.fn.getqflist() > 0 end)
for _, r in ipairs(vim.fn.getqflist()) do say("reference", r.lnum .. ":" .. r.col) end
vim.cmd("cclose")

changed("the rename", function() vim.lsp.buf.rename("own") end)
go("own")
say("renamed:", vim.fn.getline("."), vim.fn.getline(vim.fn.line(".") + 1))

for _, s in ipairs(vim.lsp.util.symbols_to_items(request("textDocument/documentSymbol", { textDocument = here().textDocument }), 0)) do
  say("symbol", s.lnum .. ":" .. s.col, s.text)
end

go("unlock m")
vim.api.nvim_put({ "x = x + 1; m." }, "c", false, true)
local names = {}
for _, item in ipairs(request("textDocument/completion", here())) do table.insert(names, item.label) end
say("behind m.:", unpack(names))
vim.cmd("undo")

vim.cmd("write")
vim.lsp.commands["cdpor.run"] = function(command)
  local printed = vim.fn.system({ "cdpor", unpack(command.arguments) })
  say("cdpor", command.title, "ends with", vim.v.shell_error, printed:match("\n(violation [^\n]*)") or "")
end
vim.lsp.commands["cdpor.replay"] = vim.lsp.commands["cdpor.run"]
local function lenses(n)
  vim.lsp.codelens.refresh({ bufnr = 0 })
  await(n .. " lenses", function() return #vim.lsp.codelens.get(0) == n end)
  for _, l in ipairs(vim.lsp.codelens.get(0)) do say("lens", l.range.start.line + 1, l.command.title, l.command.command) end
end
go("cdpor: 1")
lenses(1)
vim.lsp.codelens.run()
local function found()
  local shown = {} -- a remark about the text as it was a moment ago has no steps
  await("what the run has found", function()
    shown = vim.tbl_filter(function(d) return d.user_data.lsp.relatedInformation end, vim.diagnostic.get(0))
    return #shown > 0 and #shown == #vim.diagnostic.get(0)
  end)
  for _, d in ipairs(shown) do
    local steps = d.user_data.lsp.relatedInformation
    say("found", d.lnum + 1 .. ":", d.code, d.message:match("[^;\n]*"), "after", #steps, "steps, the first of them", steps[1].message)
  end
end
found()
lenses(3)
vim.ui.select = function(items, _, choose) choose(items[2], 2) end
vim.lsp.codelens.run()
vim.fn.append(vim.fn.line("$"), "# another text")
await("the end of what the run has found", function() return #vim.diagnostic.get(0) == 0 end)
vim.cmd("undo | write")

vim.cmd("edit m_test.go")
if vim.lsp.start then vim.lsp.start(config) else vim.lsp.buf_attach_client(0, id) end
go("TestOrder")
vim.fn.cursor(vim.fn.line("."), 1)
lenses(1)
vim.lsp.codelens.run()
found()
lenses(3)
vim.lsp.codelens.run()
vim.fn.writefile(said, "said")
vim.cmd("qall!")

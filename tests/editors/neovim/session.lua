-- One sitting of a user in Neovim, in steps. What the editor shows after each step goes into a JSON file, which
-- test_neovim.py reads. Environment: SAW (that file), CUT_WIRE and NO_PROBE (two Python files).
local saw = { notices = {} }

vim.notify = function(message)
  table.insert(saw.notices, message)
end

--- Wait for something to become true, and return it.
local function wait_for(what, ready)
  local value
  local patience = 30000
  local came = vim.wait(patience, function()
    value = ready()
    return value
  end, 10)
  if not came then
    error("waited in vain for " .. what)
  end
  return value
end

local ended_runs = 0
vim.api.nvim_create_autocmd("LspProgress", {
  pattern = "end",
  callback = function()
    ended_runs = ended_runs + 1
  end,
})

--- Run a command that starts a run, and wait until the run has ended and something of it is shown.
local function run_probe(command)
  local before = ended_runs
  vim.cmd(command)
  wait_for("the run to end", function()
    return ended_runs > before
  end)
end

local function open(path)
  vim.cmd.edit(path)
  wait_for("the server", function()
    local client = vim.lsp.get_clients({ bufnr = 0, name = "gradflow" })[1]
    return client and client.initialized
  end)
end

local function text()
  return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
end

--- Put the cursor on the first place where `wanted` stands.
local function cursor_on(wanted)
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  assert(vim.fn.search("\\V" .. wanted, "cW") > 0, wanted .. " is not in the buffer")
end

local function diagnostics()
  return vim.tbl_map(function(d)
    return { line = d.lnum + 1, message = d.message, code = d.code, source = d.source, severity = d.severity }
  end, vim.diagnostic.get(0))
end

local function lenses()
  return vim.tbl_map(function(lens)
    return { line = lens.range.start.line + 1, title = lens.command and lens.command.title or "" }
  end, vim.lsp.codelens.get(0))
end

local function lens_titled(pattern)
  return wait_for("a lens with " .. pattern, function()
    return vim.iter(lenses()):find(function(lens)
      return lens.title:find(pattern) ~= nil
    end)
  end)
end

--- The text of the floating window that a hover opens.
local function hover()
  vim.lsp.buf.hover()
  local window = wait_for("the hover", function()
    return vim.iter(vim.api.nvim_list_wins()):find(function(candidate)
      return vim.api.nvim_win_get_config(candidate).relative ~= ""
    end)
  end)
  local lines = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false)
  vim.api.nvim_win_close(window, true)
  return table.concat(lines, "\n")
end

--- Choose the code action whose title has `pattern`, and return the titles of all that were offered.
local function choose_action(pattern)
  local titles
  vim.ui.select = function(items, _, choose)
    titles = vim.tbl_map(function(item)
      return item.action.title
    end, items)
    choose(vim.iter(items):find(function(item)
      return item.action.title:lower():find(pattern) ~= nil
    end))
  end
  vim.lsp.buf.code_action()
  wait_for("the code actions", function()
    return titles
  end)
  return titles
end

local function sitting()
  open(vim.env.CUT_WIRE)
  saw.lens_before = lens_titled("Run")
  saw.before = diagnostics()

  run_probe("GradflowRun")
  wait_for("diagnostics", function()
    return #vim.diagnostic.get(0) > 0
  end)
  saw.after = diagnostics()
  cursor_on("self.last = ")
  vim.fn.search("last")
  saw.hover = hover()
  saw.hints = wait_for("inlay hints", function()
    local hints = vim.lsp.inlay_hint.get({ bufnr = 0 })
    return #hints > 0 and vim.tbl_map(function(hint)
      local label = hint.inlay_hint.label
      return { line = hint.inlay_hint.position.line + 1, label = type(label) == "string" and label or label[1].value }
    end, hints)
  end)
  saw.lenses_after = lenses()

  open(vim.env.NO_PROBE)
  saw.no_probe_lens = lens_titled("nsert")
  cursor_on("class ")
  saw.actions = choose_action("insert.*probe")
  wait_for("the probe", function()
    return text():find("def gradflow_probe", 1, true)
  end)
  saw.with_probe = text()
  run_probe("GradflowRun")
  saw.after_insert = diagnostics()
  saw.hints_after_insert = wait_for("inlay hints of the inserted probe's run", function()
    local hints = vim.lsp.inlay_hint.get({ bufnr = 0 })
    return #hints > 0 and #hints
  end)
end

local finished, problem = xpcall(sitting, debug.traceback)
saw.problem = not finished and problem or nil
saw.messages = vim.fn.execute("messages")

for _, client in ipairs(vim.lsp.get_clients()) do
  client:stop()
end
saw.stopped = vim.wait(5000, function()
  return #vim.lsp.get_clients() == 0
end, 10)
vim.fn.writefile({ vim.json.encode(saw) }, vim.env.SAW)
vim.cmd(finished and "qall!" or "cquit!")

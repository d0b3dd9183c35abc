-- Uses the commands of docs/editors.md as a user would, for test_editors_page.py. Environment: MILEPOST_TEST_PLUGIN (the page's
-- Lua as a file), MILEPOST_TEST_FILE, MILEPOST_TEST_OUT.

local found = { told = {} }
vim.notify = function(message) table.insert(found.told, message) end

local function shown(act)
  -- The answers come later, into the quickfix list or a new window.
  vim.cmd('cclose | only')
  local before = #found.told
  vim.cmd(act)
  local came = vim.wait(20000, function()
    return #vim.api.nvim_list_wins() > 1 or #found.told > before
  end, 20)
  vim.wait(50)
  if not came then error(act .. ' shows nothing') end
  local what = {}
  if vim.bo.buftype == 'quickfix' then
    for _, item in ipairs(vim.fn.getqflist()) do
      table.insert(what, { lnum = item.lnum, text = item.text, file = vim.api.nvim_buf_get_name(item.bufnr) })
    end
  else
    what = vim.api.nvim_buf_get_lines(0, 0, -1, true)
  end
  vim.cmd('wincmd p')
  return what
end

local function run()
  local file = os.getenv('MILEPOST_TEST_FILE')
  vim.o.hidden = true
  vim.cmd('source ' .. vim.fn.fnameescape(os.getenv('MILEPOST_TEST_PLUGIN')))
  -- Before anything is opened: of a file by its name.
  found.unopened = shown('MilepostOutline ' .. vim.fn.fnameescape(file))
  found.unopened_lines = shown('MilepostRead 41 42 ' .. vim.fn.fnameescape(file))
  vim.cmd('silent! only | edit ' .. vim.fn.fnameescape(file))
  found.clients = #vim.lsp.buf_get_clients(0)
  found.outline = shown('MilepostOutline')
  vim.cmd('cfirst')
  for _, item in ipairs(vim.fn.getqflist()) do
    if item.text:find('request failed') then vim.cmd('cc ' .. _) end
  end
  found.cursor = vim.api.nvim_win_get_cursor(0)[1]
  found.lines = shown('MilepostRead 41')
  found.hits = shown([[MilepostFind Caused\s+by]])
  found.summary = shown('MilepostSummarize')
  found.answer = shown('MilepostAsk Why did the request fail?')
  vim.cmd('silent! cclose | silent! only')
  vim.lsp.buf.document_symbol()
  vim.wait(20000, function() return vim.bo.buftype == 'quickfix' end, 20)
  found.symbols = vim.fn.getloclist(0)
  if #found.symbols == 0 then found.symbols = vim.fn.getqflist() end
  vim.cmd('silent! cclose | silent! only')
  local told = #found.told
  found.refused = shown('MilepostOutline no-such-file.log')
  found.refusal = found.told[told + 1]
  vim.lsp.stop_client(vim.lsp.get_active_clients(), true)
end

local fine, problem = pcall(run)
if not fine then found.problem = tostring(problem) end
local out = io.open(os.getenv('MILEPOST_TEST_OUT'), 'w')
out:write(vim.json.encode(found))
out:close()
vim.cmd('qa!')

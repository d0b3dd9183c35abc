// Prints what the language client of the VS Code extension says that it can do: its real code, on a `vscode` that does nothing.
// node tests/tools/vscode_capabilities.cjs FOLDER_OF_VSCODE_LANGUAGECLIENT
const Module = require('module');
function stub(name) {
  const target = function () {};
  return new Proxy(target, {
    get(t, key) {
      if (key === Symbol.toPrimitive) return () => 0;
      if (key === 'prototype') return t.prototype;
      if (key === Symbol.iterator) return function* () {};
      if (key === 'then') return undefined;
      if (!(key in t)) t[key] = stub(String(key));
      return t[key];
    },
    apply() { return stub('call'); },
    construct() { return stub('new'); },
  });
}
const vscode = stub('vscode');
vscode.version = '1.100.0';
const load = Module._load;
Module._load = function (request, ...rest) { return request === 'vscode' ? vscode : load.call(this, request, ...rest); };
const { LanguageClient } = require(`${process.argv[2]}/lib/node/main.js`);
const client = new LanguageClient('recorder', 'recorder', { command: 'true' }, { documentSelector: [{ scheme: 'file' }] });
console.log(JSON.stringify(client.computeClientCapabilities(), null, 1));

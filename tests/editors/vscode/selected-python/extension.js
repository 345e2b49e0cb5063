// The part of the Python extension's API that tells which environment is selected, over one setting.
const vscode = require("vscode");

exports.activate = () => {
  const changed = new vscode.EventEmitter();
  vscode.workspace.onDidChangeConfiguration((change) => {
    if (change.affectsConfiguration("python.defaultInterpreterPath")) {
      changed.fire({});
    }
  });
  return {
    environments: {
      getActiveEnvironmentPath: () => ({
        path: vscode.workspace.getConfiguration("python").get("defaultInterpreterPath"),
      }),
      resolveEnvironment: async ({ path }) => (path ? { executable: { uri: vscode.Uri.file(path) } } : undefined),
      onDidChangeActiveEnvironmentPath: changed.event,
    },
  };
};

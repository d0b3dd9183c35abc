/** The looks of a summary: the theme's own colours and fonts, a measure that can be read. */

export const STYLE = `
body { padding: 0; color: var(--vscode-foreground); font-family: var(--vscode-font-family); font-size: var(--vscode-font-size); line-height: 1.5; }
main { max-width: 52rem; margin: 0 auto; padding: 1.5rem 2rem 3rem; }
h1 { font-size: 1.5rem; font-weight: 600; line-height: 1.3; margin: 0 0 .25rem; overflow-wrap: anywhere; }
h2 { font-size: .8rem; font-weight: 600; letter-spacing: .04em; text-transform: uppercase; color: var(--vscode-descriptionForeground); margin: 2rem 0 .6rem; }
p { margin: 0 0 .8rem; }
.facts { color: var(--vscode-descriptionForeground); font-size: .92em; overflow-wrap: anywhere; }
.path { font-family: var(--vscode-editor-font-family); }
.text { white-space: pre-wrap; overflow-wrap: anywhere; }
.found { margin: 0 0 1rem; padding-left: 1.1rem; }
.found li { margin: 0 0 .3rem; overflow-wrap: anywhere; }
.answer > .text { font-size: 1.1em; margin-top: 1.25rem; }
.answer.none > .text { color: var(--vscode-descriptionForeground); }
a { color: var(--vscode-textLink-foreground); text-decoration: none; }
a:hover { color: var(--vscode-textLink-activeForeground); text-decoration: underline; }
a:focus-visible { outline: 1px solid var(--vscode-focusBorder); outline-offset: 2px; }
.button { padding: .15rem .7rem; border-radius: 2px; background: var(--vscode-button-background); color: var(--vscode-button-foreground); white-space: nowrap; }
.button:hover { background: var(--vscode-button-hoverBackground); color: var(--vscode-button-foreground); text-decoration: none; }
.notice { display: flex; gap: 1rem; align-items: center; justify-content: space-between; padding: .6rem .8rem; margin: 1rem 0; border-left: 3px solid var(--vscode-editorWarning-foreground); background: var(--vscode-textBlockQuote-background); }
figure { margin: 0 0 1rem; border: 1px solid var(--vscode-widget-border, var(--vscode-panel-border)); border-radius: 4px; overflow: hidden; }
figcaption { display: flex; justify-content: space-between; gap: 1rem; padding: .35rem .75rem; background: var(--vscode-editorWidget-background); font-size: .92em; }
figcaption a { font-family: var(--vscode-editor-font-family); }
.checked { color: var(--vscode-descriptionForeground); white-space: nowrap; }
pre { margin: 0; padding: .6rem .75rem; overflow-x: auto; font-family: var(--vscode-editor-font-family); font-size: var(--vscode-editor-font-size); line-height: 1.45; white-space: pre-wrap; overflow-wrap: anywhere; background: var(--vscode-textCodeBlock-background); }
.outline { list-style: none; padding: 0; margin: 0; }
.outline .outline { margin: .3rem 0 0; }
.outline li { display: grid; grid-template-columns: minmax(6.5em, max-content) 1fr; gap: .9rem; padding: .25rem 0; border-top: 1px solid var(--vscode-editorWidget-border, transparent); }
.range { font-family: var(--vscode-editor-font-family); font-size: .92em; text-align: right; font-variant-numeric: tabular-nums; }
.title { font-weight: 600; overflow-wrap: anywhere; }
.error > span > .title { color: var(--vscode-list-errorForeground, var(--vscode-errorForeground)); }
.warning > span > .title { color: var(--vscode-list-warningForeground); }
.digest { color: var(--vscode-descriptionForeground); overflow-wrap: anywhere; }
.questions { padding-left: 1.2rem; margin: 0; }
footer { margin-top: 2.5rem; padding-top: .8rem; border-top: 1px solid var(--vscode-widget-border, var(--vscode-panel-border)); font-size: .92em; }
`;

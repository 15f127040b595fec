import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

/** The editor in the window's tokens; light and dark follow the tokens by themselves. */
const look = EditorView.theme({
  '&': { height: '100%', color: 'var(--text-1)', backgroundColor: 'transparent' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': {
    font: 'var(--code-size)/var(--code-line) var(--font-mono)',
    scrollbarWidth: 'thin',
    scrollbarColor: 'var(--line-strong) transparent',
  },
  '.cm-content': { padding: '8px 0 40px', caretColor: 'var(--text-1)' },
  '.cm-line': { padding: '0 16px 0 12px' },
  '.cm-gutters': {
    backgroundColor: 'transparent',
    border: 'none',
    color: 'var(--text-3)',
    fontSize: '11.5px',
  },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 6px 0 16px', minWidth: '38px' },
  '.cm-foldGutter .cm-gutterElement': { width: '14px', cursor: 'default' },
  '.cm-activeLine': { backgroundColor: 'var(--hover)' },
  '.cm-activeLineGutter': { backgroundColor: 'transparent', color: 'var(--text-1)' },
  '.cm-cursor': { borderLeftColor: 'var(--text-1)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: 'var(--accent-soft)',
  },
  '.cm-selectionMatch': { backgroundColor: 'var(--mark-line)' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--selected)' },
  '.cm-searchMatch': { backgroundColor: 'var(--mark-line)', outline: '1px solid var(--warn-fill)' },
  '.cm-searchMatch-selected': { backgroundColor: 'var(--accent-soft)' },
  '.cm-foldPlaceholder': {
    background: 'var(--hover)',
    border: 'none',
    color: 'var(--text-2)',
    padding: '0 6px',
  },
  '.cm-panels': {
    backgroundColor: 'var(--surface-1)',
    color: 'var(--text-1)',
    borderBottom: '1px solid var(--line)',
  },
  '.cm-panels-top': { borderBottom: '1px solid var(--line)' },
  '.cm-panel.cm-search': { padding: '6px 28px 6px 12px', font: 'var(--t-12) var(--font-ui)' },
  '.cm-panel.cm-search label': { font: 'var(--t-12) var(--font-ui)', marginRight: '8px' },
  '.cm-textfield': {
    height: '24px',
    padding: '0 8px',
    border: 'none',
    borderRadius: 'var(--r-2)',
    backgroundColor: 'var(--surface-3)',
    boxShadow: 'inset 0 0 0 1px var(--line-strong)',
    font: 'var(--t-12) var(--font-ui)',
    color: 'var(--text-1)',
  },
  '.cm-button': {
    height: '24px',
    padding: '0 8px',
    border: 'none',
    borderRadius: 'var(--r-2)',
    backgroundImage: 'none',
    backgroundColor: 'var(--surface-3)',
    boxShadow: 'inset 0 0 0 1px var(--line-strong)',
    font: '500 var(--t-12) var(--font-ui)',
    color: 'var(--text-1)',
  },
})

/** The highlighter's eight meanings, as in the code view. */
const colours = HighlightStyle.define([
  {
    tag: [tags.keyword, tags.bool, tags.null, tags.self, tags.modifier, tags.tagName],
    color: 'var(--syn-keyword)',
  },
  {
    tag: [tags.typeName, tags.className, tags.namespace, tags.standard(tags.name)],
    color: 'var(--syn-type)',
  },
  {
    tag: [tags.function(tags.variableName), tags.function(tags.propertyName), tags.heading, tags.labelName],
    color: 'var(--syn-fn)',
  },
  { tag: [tags.string, tags.regexp, tags.escape, tags.url, tags.inserted], color: 'var(--syn-string)' },
  { tag: [tags.number, tags.atom, tags.unit, tags.color], color: 'var(--syn-number)' },
  { tag: [tags.attributeName, tags.propertyName, tags.meta, tags.annotation], color: 'var(--syn-attr)' },
  { tag: [tags.comment], color: 'var(--syn-comment)' },
  { tag: [tags.punctuation, tags.operator, tags.bracket, tags.separator], color: 'var(--syn-punct)' },
  { tag: [tags.deleted, tags.invalid], color: 'var(--danger-text)' },
  { tag: [tags.strong, tags.heading], fontWeight: '600' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: tags.link, textDecoration: 'underline' },
])

export const editorTheme = [look, syntaxHighlighting(colours)]

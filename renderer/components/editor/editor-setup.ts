import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { bracketMatching, foldGutter, foldKeymap, indentOnInput, indentUnit } from '@codemirror/language'
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search'
import { Compartment, EditorState, type Extension } from '@codemirror/state'
import {
  drawSelection,
  dropCursor,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  rectangularSelection,
} from '@codemirror/view'
import { editorTheme } from './editor-theme.ts'

/** Editing options: the indentation and whether long lines wrap. */
export type EditorOptions = { indent: 'tab' | 2 | 4 | 8; wrap: boolean }

/** What can change while the editor is open, without losing the text and its history. */
export const language = new Compartment()
export const manner = new Compartment()
export const access = new Compartment()

/** Indentation, tab width and wrapping. */
export const mannerOf = ({ indent, wrap }: EditorOptions): Extension => [
  indentUnit.of(indent === 'tab' ? '\t' : ' '.repeat(indent)),
  EditorState.tabSize.of(indent === 'tab' ? 4 : indent),
  wrap ? EditorView.lineWrapping : [],
]

export const accessOf = (readonly: boolean): Extension => [
  EditorState.readOnly.of(readonly),
  EditorView.editable.of(!readonly),
]

/** The extensions of every editor. Tab indents; Escape and then Tab leaves the editor, as its label says. */
export const editorBasics = (label: string): Extension => [
  lineNumbers(),
  foldGutter(),
  highlightSpecialChars(),
  history(),
  drawSelection(),
  dropCursor(),
  rectangularSelection(),
  indentOnInput(),
  bracketMatching(),
  highlightActiveLine(),
  highlightActiveLineGutter(),
  highlightSelectionMatches(),
  search({ top: true }),
  EditorState.allowMultipleSelections.of(true),
  EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false', tabindex: '0' }),
  keymap.of([...defaultKeymap, ...searchKeymap, ...historyKeymap, ...foldKeymap, indentWithTab]),
  editorTheme,
]

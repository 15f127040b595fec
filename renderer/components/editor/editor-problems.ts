import { setDiagnostics, type Diagnostic } from '@codemirror/lint'
import type { EditorState, TransactionSpec } from '@codemirror/state'

/** A problem in the text; lines and columns count from 1. */
export type EditorProblem = {
  message: string
  line: number
  column: number
  severity: 'error' | 'warning'
}

/** Marks the problems in the text: from where each is to the end of its word or line. */
export const showProblems = (state: EditorState, problems: readonly EditorProblem[]): TransactionSpec =>
  setDiagnostics(
    state,
    problems.map((one) => diagnosticOf(state, one)),
  )

const diagnosticOf = (state: EditorState, problem: EditorProblem): Diagnostic => {
  const line = state.doc.line(Math.min(Math.max(1, problem.line), state.doc.lines))
  const from = Math.min(line.from + Math.max(0, problem.column - 1), line.to)
  const [word = ''] = /^[^\s:,[\]{}]+/.exec(line.text.slice(from - line.from)) ?? []
  const to = word === '' ? line.to : from + word.length
  return { from, to, severity: problem.severity, message: problem.message }
}

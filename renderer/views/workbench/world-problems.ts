import type { ApiError } from '../../api/client.ts'
import type { EditorProblem } from '../../components/editor/editor-problems.ts'
import { errorText } from '../../locales/server-errors.ts'

type TextProblem = Omit<EditorProblem, 'severity'>

const isTextProblem = (value: unknown): value is TextProblem => {
  const { message, line, column } = (value ?? {}) as Record<string, unknown>
  return typeof message === 'string' && typeof line === 'number' && typeof column === 'number'
}

/** The problems of a refused world, with their lines and columns. */
export const problemsOf = (refused: ApiError | null): EditorProblem[] => {
  const errors = refused?.body?.['errors']
  const problems = Array.isArray(errors) ? errors.filter(isTextProblem) : []
  return problems.map((one) => ({ ...one, message: errorText(one.message), severity: 'error' }))
}

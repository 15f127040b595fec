/** The types of `vue-types.mjs`. */
export interface Problem {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly code: number
  readonly message: string
}
export function problemsOf(configFile: string): Problem[]

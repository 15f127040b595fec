import { invalid } from '../../../lib/fail.ts'

const MAX_KEY = 255
const MAX_VALUE = 10_000
const MAX_DESCRIPTION = 255

/** Values that a runner can mask: one line of at least eight characters of Base64 or `@ : . ~` (spec ci 2.9). */
const MASKABLE = /^[A-Za-z0-9+/=_@:.~-]{8,}$/

const KEY_TEXT = "can contain only letters, digits and '_'."
const SCOPE_TEXT = "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', '*' and spaces"

/** The checked fields of a variable, with its plain value. */
export interface CheckedVariable {
  readonly key: string
  readonly value: string
  readonly masked: boolean
  readonly environment_scope: string
  readonly description: string | null
}

/** Throws 400 with all errors of a variable by field. */
export function checkVariable(given: CheckedVariable): void {
  const problems: Record<string, string[]> = {
    key: keyProblems(given.key),
    value: valueProblems(given),
    environment_scope: scopeProblems(given.environment_scope),
    description: tooLong(given.description ?? '', MAX_DESCRIPTION),
  }
  const present = Object.entries(problems).filter(([, texts]) => texts.length > 0)
  if (present.length > 0) throw invalid(Object.fromEntries(present))
}

function keyProblems(key: string): string[] {
  const isBlank = key === ''
  const isWord = /^[A-Za-z0-9_]+$/.test(key)
  return [...(isBlank ? ["can't be blank"] : []), ...tooLong(key, MAX_KEY), ...(isWord ? [] : [KEY_TEXT])]
}

function valueProblems({ value, masked }: CheckedVariable): string[] {
  return [...tooLong(value, MAX_VALUE), ...(masked && !MASKABLE.test(value) ? ['is invalid'] : [])]
}

function scopeProblems(scope: string): string[] {
  const isWord = /^[A-Za-z0-9_/${}. *-]+$/.test(scope)
  return [...tooLong(scope, 255), ...(isWord ? [] : [SCOPE_TEXT])]
}

function tooLong(text: string, max: number): string[] {
  return text.length > max ? [`is too long (maximum is ${max} characters)`] : []
}

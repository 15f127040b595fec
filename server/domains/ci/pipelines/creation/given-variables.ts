import { invalid } from '../../../../lib/fail.ts'
import type { GivenVariable } from './order.ts'

const MAX_KEY = 255
const KEY_TEXT = "can contain only letters, digits and '_'."

/** Throws 400 for names that no variable can have, and for those that are given twice. */
export function checkGivenVariables(variables: readonly GivenVariable[]): void {
  const keys = variables.map(({ key }) => key)
  const problems = [
    ...(keys.some((key) => key === '') ? ["can't be blank"] : []),
    ...(keys.some((key) => key.length > MAX_KEY) ? [`is too long (maximum is ${MAX_KEY} characters)`] : []),
    ...(keys.some((key) => !/^\w+$/.test(key)) ? [KEY_TEXT] : []),
  ]
  if (problems.length > 0) throw invalid({ 'variables.key': problems })
  const twice = [...new Set(keys.filter((key, index) => keys.indexOf(key) !== index))]
  if (twice.length > 0) throw invalid({ variables: [`have duplicate values (${twice.join(', ')})`] })
}

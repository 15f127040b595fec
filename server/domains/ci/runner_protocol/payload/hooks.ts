import type { Json } from '../../../ci_config/index.ts'
import { textsOf } from './values.ts'

/** `hooks:` of a job as runners are told. */
export function hooksOf(given: Json): { name: string; script: string[] }[] {
  return Object.entries(given ?? {}).flatMap(([name, lines]) => {
    const script = textsOf(lines)
    return script && script.length > 0 ? [{ name, script }] : []
  })
}

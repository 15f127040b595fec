import { isTrue } from '../language/expressions.ts'
import { globOf, remembered } from '../language/patterns.ts'
import type { Rule } from '../types.ts'
import { expandText } from '../language/variables.ts'
import { SelectionError, type PipelineContext } from './values.ts'

type Lookup = (name: string) => string | undefined

const MAX_CHANGES = 50_000
const MAX_EXISTS = 10_000

/** A pipeline asks the same globs for many jobs. */
const glob = remembered(globOf, 2000)

function anyCovered(
  globs: readonly string[],
  paths: readonly string[],
  values: Lookup,
  limit: number,
): boolean {
  if (globs.length * paths.length > limit) return true
  return globs.some((text) => {
    const one = glob(expandText(text, values))
    return paths.some((path) => one.covers(path))
  })
}

/** True if the globs cover a changed path, or there is no commit to compare with (spec ci 4.7). */
export function isChanged(
  globs: readonly string[],
  changes: readonly string[] | null,
  values: Lookup,
): boolean {
  return changes === null || anyCovered(globs, changes, values, MAX_CHANGES)
}

/** The first rule with only true clauses. Throws SelectionError for an unknown ref in `compare_to`, and out of time. */
export function firstMatch(
  rules: readonly Rule[],
  context: PipelineContext,
  values: Lookup,
): { rule: Rule; index: number } | undefined {
  const index = rules.findIndex((rule) => holds(rule, context, values))
  return index < 0 ? undefined : { rule: rules[index]!, index }
}

function holds(rule: Rule, context: PipelineContext, values: Lookup): boolean {
  if (context.isLate?.()) throw new SelectionError('the rules take too long')
  if (rule.if !== null && !isTrue(rule.if, values)) return false
  if (rule.changes && !isChanged(rule.changes.paths, changesOf(rule, context, values), values)) return false
  if (!rule.exists) return true
  return anyCovered(rule.exists, context.files ?? [], values, MAX_EXISTS)
}

function changesOf(rule: Rule, context: PipelineContext, values: Lookup): readonly string[] | null {
  const wanted = rule.changes?.compare_to
  if (wanted === null || wanted === undefined) return context.changes
  const name = expandText(wanted, values)
  const found = context.changesSince?.get(name)
  if (found === undefined) throw new SelectionError('rules:changes:compare_to is not a valid ref')
  return found
}

/** The clauses of a rule in words. */
export function inWords(rule: Rule): string {
  const words = [
    ...(rule.if === null ? [] : [`if: ${rule.if}`]),
    ...(rule.changes ? [`changes: ${rule.changes.paths.join(', ')}`] : []),
    ...(rule.exists ? [`exists: ${rule.exists.join(', ')}`] : []),
  ]
  return words.length === 0 ? 'it has no conditions' : words.join(', ')
}

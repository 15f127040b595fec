import { isTrue } from '../expressions/evaluate.ts'
import type { Policy } from '../job.ts'
import { looksLikePattern, patternOf } from '../patterns.ts'
import { isChanged } from './clauses.ts'
import type { PipelineContext } from './context.ts'

type Lookup = (name: string) => string | undefined

/** `only:` holds when all that is given does; refs among themselves are alternatives (spec ci 4.9). */
export function isOnly(policy: Policy, context: PipelineContext, values: Lookup): boolean {
  return partsOf(policy, context, values).every(Boolean)
}

/** `except:` holds when anything that is given does. */
export function isExcept(policy: Policy, context: PipelineContext, values: Lookup): boolean {
  return partsOf(policy, context, values).some(Boolean)
}

function partsOf(policy: Policy, context: PipelineContext, values: Lookup): boolean[] {
  const parts: boolean[] = []
  if (policy.refs) parts.push(policy.refs.some((ref) => isRef(ref, context)))
  if (policy.variables) parts.push(policy.variables.some((one) => isTrue(one, values)))
  if (policy.changes) parts.push(isChanged(policy.changes, context.changes, values))
  if (policy.kubernetes) parts.push(context.hasCluster === true)
  return parts
}

function isRef(text: string, context: PipelineContext): boolean {
  const [, pattern, path] = /^(\/.*\/[ismU]*|[^@]*)(?:@(.*))?$/s.exec(text) ?? [text, text]
  if (path !== undefined && path !== context.project) return false
  if (pattern === 'branches') return context.kind === 'branch'
  if (pattern === 'tags') return context.kind === 'tag'
  const source = context.source.replace(/_event$/, '')
  if (pattern === source || pattern === pluralOf(source)) return true
  // Names and patterns mean branches and tags only.
  if (context.kind === 'merge_request' || pattern === undefined) return false
  return looksLikePattern(pattern)
    ? (patternOf(pattern)?.test(context.ref) ?? false)
    : pattern === context.ref
}

function pluralOf(source: string): string {
  return source === 'push' ? 'pushes' : `${source}s`
}

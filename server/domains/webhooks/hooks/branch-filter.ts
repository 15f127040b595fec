import { RE2JS } from 're2js'

import { linearPattern } from '../../../lib/linear-pattern.ts'
import type { HookRow } from './store.ts'

const MAX_LENGTH = 4000

type Filter = Pick<HookRow, 'branch_filter_strategy' | 'push_events_branch_filter'>

/** Whether a filter can be used: a regular expression of re2, or a name of branches with `*` in it. */
export function isGoodFilter(filter: Filter): boolean {
  const { branch_filter_strategy: strategy, push_events_branch_filter: text } = filter
  if (!text || strategy === 'all_branches') return true
  if (text.length > MAX_LENGTH) return false
  if (strategy === 'regex') return compiled(text) !== undefined
  return isBranchName(text.replaceAll('*', 'a'))
}

/** Whether pushes to a branch are told (spec administration 3.7). Takes no more than filter times name steps. */
export function passes(filter: Filter, branch: string | null): boolean {
  const { branch_filter_strategy: strategy, push_events_branch_filter: text } = filter
  if (!text || strategy === 'all_branches') return true
  if (branch === null) return false
  if (strategy === 'regex') return compiled(text)?.matcher(branch).find() ?? false
  return wildcard(text).matches(branch)
}

function compiled(text: string): RE2JS | undefined {
  try {
    return linearPattern(text)
  } catch {
    return undefined
  }
}

function wildcard(text: string): RE2JS {
  return RE2JS.compile(
    text
      .split(/\*+/)
      .map((part) => RE2JS.quote(part))
      .join('.*'),
    RE2JS.DOTALL,
  )
}

/** What git takes for the name of a branch (git-check-ref-format). */
function isBranchName(name: string): boolean {
  const isOdd = /[\p{Cc} ~^:?[\\]|\.\.|@\{|\/\/|^[/-]|[/.]$|^@$/u.test(name)
  return !isOdd && name.split('/').every((part) => !part.startsWith('.') && !part.endsWith('.lock'))
}

import { RE2JS } from 're2js'

import { invalid } from '../../lib/fail.ts'
import type { ProjectColumns } from './project.ts'
import { editColumns, sharedColumns, SWITCHES } from './settings-params.ts'

const NAMES = new Set([...Object.keys(sharedColumns), ...Object.keys(editColumns)])

/** Topics as given → as stored: no blanks, none twice whatever its case. */
function topicsOf(words: readonly string[]): string {
  if (words.some((word) => /[\r\n]/.test(word.trim())))
    throw invalid({ topics: 'has characters that are not allowed' })
  const kept = new Map<string, string>()
  for (const word of words.map((one) => one.trim())) {
    if (word !== '' && !kept.has(word.toLowerCase())) kept.set(word.toLowerCase(), word)
  }
  return JSON.stringify([...kept.values()].sort())
}

function policyOf(given: Readonly<Record<string, unknown>>, stored: string): string {
  const { name_regex_delete, ...rest } = given
  const changes: Record<string, unknown> = {
    ...rest,
    ...(name_regex_delete === undefined ? {} : { name_regex: name_regex_delete }),
  }
  for (const name of ['name_regex', 'name_regex_keep']) checkPattern(name, changes[name])
  return JSON.stringify({ ...(JSON.parse(stored) as object), ...changes })
}

/** The registry's patterns are plain expressions; one that is none would stop every clean-up. */
function checkPattern(name: string, pattern: unknown): void {
  if (typeof pattern !== 'string') return
  try {
    RE2JS.compile(pattern)
  } catch {
    throw invalid({ [`container_expiration_policy.${name}`]: 'not valid RE2 syntax' })
  }
}

/**
 * Settings as given → columns. What was not given is not in the result. `stored` is the policy for old images so far.
 */
export function settingsToColumns(
  given: Readonly<Record<string, unknown>>,
  stored = '{}',
): Partial<ProjectColumns> {
  const changes: Record<string, unknown> = {}
  for (const [name, feature] of Object.entries(SWITCHES)) {
    if (given[name] !== undefined) changes[`${feature}_access_level`] = given[name] ? 'enabled' : 'disabled'
  }
  // A level says more than a switch.
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined && NAMES.has(name)) changes[name] = value
  }
  const words = (given['topics'] ?? given['tag_list']) as string[] | undefined
  if (words) changes['topics'] = topicsOf(words)
  const open = given['public_builds'] ?? given['public_jobs']
  if (open !== undefined) changes['public_jobs'] = open
  const policy = given['container_expiration_policy_attributes'] as Record<string, unknown> | undefined
  if (policy) changes['container_expiration_policy'] = policyOf(policy, stored)
  checkCiPath(changes['ci_config_path'])
  return changes as Partial<ProjectColumns>
}

/** A path in the repository, or an address; neither leads out of the house. */
function checkCiPath(path: unknown): void {
  if (typeof path !== 'string' || path === '') return
  if (path.split('/').includes('..')) throw invalid({ ci_config_path: "can't include directory traversal." })
  if (path.startsWith('/')) throw invalid({ ci_config_path: "can't include leading slash." })
}

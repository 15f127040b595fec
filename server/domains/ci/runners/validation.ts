import { Failure, fail, invalid } from '../../../lib/fail.ts'

/** Settings of a runner. */
export interface RunnerFields {
  readonly description: string | null
  readonly maintenance_note: string | null
  readonly paused: boolean
  readonly locked: boolean
  readonly run_untagged: boolean
  readonly access_level: 'not_protected' | 'ref_protected'
  /** Seconds; null for none. */
  readonly maximum_timeout: number | null
  readonly tag_list: readonly string[]
}

/** The lowest job timeout of a runner in seconds. */
const MIN_TIMEOUT = 600
const MAX_TAGS = 50
const LONGEST_TEXT = 1024
const LONGEST_TAG = 255

const tooLong = (max: number): string => `is too long (maximum is ${max} characters)`

/** Normalizes tags: unique and trimmed. */
export function cleanTags(tags: readonly string[]): string[] {
  return [...new Set(tags.map((tag) => tag.trim()).filter((tag) => tag !== ''))]
}

/** Throws 400 by field for invalid settings (spec ci 1.3, 3.4). */
export function checkRunner(fields: RunnerFields): void {
  const problems: Record<string, string[]> = {}
  for (const name of ['description', 'maintenance_note'] as const)
    if ((fields[name]?.length ?? 0) > LONGEST_TEXT) problems[name] = [tooLong(LONGEST_TEXT)]
  if (fields.maximum_timeout !== null && fields.maximum_timeout < MIN_TIMEOUT)
    problems['maximum_timeout'] = ['needs to be at least 10 minutes']
  const { tag_list: tags } = fields
  if (tags.length > MAX_TAGS)
    problems['tag_list'] = [`Too many tags specified. Please limit the number of tags to ${MAX_TAGS}`]
  else if (tags.some((tag) => tag.length > LONGEST_TAG)) problems['tag_list'] = [tooLong(LONGEST_TAG)]
  if (tags.length === 0 && !fields.run_untagged)
    problems['tags_list'] = ['can not be empty when runner is not allowed to pick untagged jobs']
  if (Object.keys(problems).length > 0) throw invalid(problems)
}

/**
 * Runs `work` and turns its errors by field into one sentence, the contract's form when a user creates a runner (spec ci 1.4).
 */
export function inSentences<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof Failure) || typeof error.detail !== 'object') throw error
    const sentences = Object.entries(error.detail as Record<string, readonly string[]>).flatMap(
      ([field, texts]) =>
        texts.map((text) => `${field[0]!.toUpperCase()}${field.slice(1).replaceAll('_', ' ')} ${text}`),
    )
    throw fail('bad_request', `400 Bad request - ${sentences.join(' and ')}`)
  }
}

import { Failure, fail, invalid } from '../../../lib/fail.ts'

/** The settings of a runner. */
export interface RunnerFields {
  readonly description: string | null
  readonly maintenance_note: string | null
  readonly paused: boolean
  readonly locked: boolean
  readonly run_untagged: boolean
  readonly access_level: 'not_protected' | 'ref_protected'
  /** Seconds. Null means no limit. */
  readonly maximum_timeout: number | null
  readonly tag_list: readonly string[]
}

/** The lowest allowed `maximum_timeout` in seconds. */
const MIN_TIMEOUT = 600
const MAX_TAGS = 50
const MAX_TEXT_LENGTH = 1024
const MAX_TAG_LENGTH = 255

const tooLong = (max: number): string => `is too long (maximum is ${max} characters)`

/** Trims tags, and removes duplicate and empty ones. */
export function cleanTags(tags: readonly string[]): string[] {
  return [...new Set(tags.map((tag) => tag.trim()).filter((tag) => tag !== ''))]
}

/** Throws 400 with the errors of each field for invalid settings (spec ci 1.3, 3.4). */
export function checkRunner(fields: RunnerFields): void {
  const problems: Record<string, string[]> = {}
  for (const name of ['description', 'maintenance_note'] as const)
    if ((fields[name]?.length ?? 0) > MAX_TEXT_LENGTH) problems[name] = [tooLong(MAX_TEXT_LENGTH)]
  if (fields.maximum_timeout !== null && fields.maximum_timeout < MIN_TIMEOUT)
    problems['maximum_timeout'] = ['needs to be at least 10 minutes']
  const { tag_list: tags } = fields
  if (tags.length > MAX_TAGS)
    problems['tag_list'] = [`Too many tags specified. Please limit the number of tags to ${MAX_TAGS}`]
  else if (tags.some((tag) => tag.length > MAX_TAG_LENGTH)) problems['tag_list'] = [tooLong(MAX_TAG_LENGTH)]
  if (tags.length === 0 && !fields.run_untagged)
    problems['tags_list'] = ['can not be empty when runner is not allowed to pick untagged jobs']
  if (Object.keys(problems).length > 0) throw invalid(problems)
}

/**
 * Runs `work` and turns the errors of its fields into one message, the contract's form when a user creates a runner
 * (spec ci 1.4).
 */
export function withSingleMessage<T>(work: () => T): T {
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

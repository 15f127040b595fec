import type { Result } from '../../api/client.ts'

/** An environment as the window shows it. */
export type Place = Result<'GET /-/projects/:id/environments/:environment_id'>
/** Something that was brought to one. */
export type Deployment = NonNullable<Place['last_deployment']>

/** Answers that are stale after a change of environments. */
export const STALE = ['GET /-/projects/:id/environments*', 'GET /projects/:id/environments*']

export const TIERS = [
  { value: 'production', label: 'Production' },
  { value: 'staging', label: 'Staging' },
  { value: 'testing', label: 'Testing' },
  { value: 'development', label: 'Development' },
  { value: 'other', label: 'Other' },
] as const

/** The tier in a word. */
export const tierWord = (tier: Place['tier']) => TIERS.find((one) => one.value === tier)!.label

/** The address to open, or null: only those of the web are followed. */
export const openable = (url: string | null) => (url !== null && /^https?:\/\//i.test(url) ? url : null)

/** `review/` of `review/fix-tide`, so that a list can show it less loudly. */
export const folderPart = (name: string) => {
  const slash = name.indexOf('/')
  return slash < 0 ? '' : name.slice(0, slash + 1)
}

/** A short name of the deployed ref: the branch, the tag, or `!3` of a merge request. */
export const refName = (ref: string) => ref.replace(/^refs\/merge-requests\/(\d+)\/.*/, '!$1')

/** Where a ref leads inside its project. */
export const refPath = (ref: string) => {
  const [, iid] = /^refs\/merge-requests\/(\d+)\//.exec(ref) ?? []
  return iid === undefined ? `commits/${ref}` : `merge_requests/${iid}`
}

/** The explanation of stopping, for the confirmation. */
export const stopWords = (place: Place) =>
  place.has_stop_action
    ? 'The job that its configuration names takes it down. It counts as stopped once that job has passed.'
    : 'It has no stop job: it is only marked as stopped, and whatever is deployed keeps running.'

/** What a word of a deployment's status is for. */
const WORDS: Readonly<Record<Deployment['status'], string>> = {
  created: 'waits for its job',
  running: 'under way',
  success: 'deployed',
  failed: 'failed',
  canceled: 'cancelled',
  skipped: 'skipped',
  blocked: 'waits for approval',
}
export const deploymentWord = (status: Deployment['status']) => WORDS[status]

import type { Result } from '../../api/client.ts'
import { t } from '../../locales/t.ts'

/** An environment as the window shows it. */
export type Environment = Result<'GET /-/projects/:id/environments/:environment_id'>
/** Something that was brought to one. */
export type Deployment = NonNullable<Environment['last_deployment']>

/** Answers that are stale after a change of environments. */
export const STALE = ['GET /-/projects/:id/environments*', 'GET /projects/:id/environments*']

export const TIERS = [
  { value: 'production', label: t('environments.production') },
  { value: 'staging', label: t('environments.staging') },
  { value: 'testing', label: t('environments.testing') },
  { value: 'development', label: t('environments.development') },
  { value: 'other', label: t('common.other') },
] as const

/** The tier in a word. */
export const tierWord = (tier: Environment['tier']) => TIERS.find((one) => one.value === tier)!.label

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
export const stopWords = (environment: Environment) =>
  environment.has_stop_action
    ? t('environments.the_stop_job_runs_the_environment')
    : t('environments.there_is_no_stop_job_the_environment')

/** What a word of a deployment's status is for. */
const WORDS: Readonly<Record<Deployment['status'], string>> = {
  created: t('environments.waiting_for_its_job'),
  running: t('environments.in_progress'),
  success: t('environments.deployed'),
  failed: t('environments.failed'),
  canceled: t('environments.canceled'),
  skipped: t('environments.skipped'),
  blocked: t('environments.waiting_for_approval'),
}
export const deploymentWord = (status: Deployment['status']) => WORDS[status]

import type { Item, Result } from '../../api/client.ts'
import { errorText } from '../../locales/server-errors.ts'
import { t } from '../../locales/t.ts'

export type PushMirror = Item<'GET /projects/:id/remote_mirrors'>
export type PullMirror = Result<'GET /projects/:id/mirror/pull'>

/** A repository elsewhere that follows the project, or that the project follows. */
export type Mirror = {
  /** The number of one that is pushed to; a project follows only one. */
  key: number | 'pull'
  direction: 'push' | 'pull'
  /** With masked credentials. */
  url: string
  status: string
  enabled: boolean
  error: string | null
  startedAt: string | null
  endedAt: string | null
  succeededAt: string | null
  /** The time of the next automatic update, if known. */
  nextAt: string | null
  which: Which
  pattern: string
  /** Push mirrors: keep divergent refs. Pull mirrors: overwrite diverged branches. */
  keeps: boolean
  overwrites: boolean
  triggersPipelines: boolean
  auth: 'password' | 'ssh_public_key'
  /** Diverged branches that were not updated. */
  diverged: readonly string[]
}

/** Which branches go along; tags always do. */
export type Which = 'all' | 'protected' | 'pattern'

export const fromPush = (one: PushMirror): Mirror => ({
  key: one.id,
  direction: 'push',
  url: one.url,
  status: one.update_status,
  enabled: one.enabled,
  error: one.last_error && errorText(one.last_error),
  startedAt: one.last_update_started_at,
  endedAt: one.last_update_at,
  succeededAt: one.last_successful_update_at,
  nextAt: null,
  which: one.only_protected_branches ? 'protected' : one.mirror_branch_regex ? 'pattern' : 'all',
  pattern: one.mirror_branch_regex ?? '',
  keeps: one.keep_divergent_refs,
  overwrites: false,
  triggersPipelines: false,
  auth: one.auth_method,
  diverged: [],
})

export const fromPull = (one: PullMirror): Mirror => ({
  key: 'pull',
  direction: 'pull',
  url: one.url ?? '',
  status: one.update_status,
  enabled: one.enabled,
  error: one.last_error && errorText(one.last_error),
  startedAt: one.last_update_started_at,
  endedAt: one.last_update_at,
  succeededAt: one.last_successful_update_at,
  nextAt: one.next_update_at,
  which: one.only_mirror_protected_branches ? 'protected' : one.mirror_branch_regex ? 'pattern' : 'all',
  pattern: one.mirror_branch_regex ?? '',
  keeps: false,
  overwrites: one.mirror_overwrites_diverged_branches,
  triggersPipelines: one.mirror_trigger_builds,
  auth: 'password',
  diverged: one.diverged_branches,
})

export type Tone = 'ok' | 'bad' | 'warn' | 'run' | undefined

/** How a mirror fares, in a word. */
export const stateOf = (one: Mirror): { word: string; tone: Tone } => {
  if (!one.enabled) return { word: t('mirrors.off'), tone: undefined }
  if (one.status === 'started') return { word: t('mirrors.updating'), tone: 'run' }
  if (one.status === 'scheduled') return { word: t('common.waiting'), tone: 'run' }
  if (one.status === 'failed') return { word: t('common.failed'), tone: 'bad' }
  if (one.status === 'to_retry') return { word: t('mirrors.retrying'), tone: 'warn' }
  if (one.endedAt === null) return { word: t('mirrors.not_updated_yet'), tone: undefined }
  return one.diverged.length > 0
    ? { word: t('mirrors.diverged'), tone: 'warn' }
    : { word: t('mirrors.up_to_date'), tone: 'ok' }
}

/** The description of the mirrored branches. */
export const whichWords = (one: Mirror): string =>
  ({
    all: t('mirrors.all_branches'),
    protected: t('mirrors.protected_branches'),
    pattern: t('mirrors.branches_matching_pattern', { pattern: one.pattern }),
  })[one.which]

const MASK = /^([a-z]+:\/\/)\*+(?::\*+)?@/

/** The address without the mask of its credentials. */
export const bareUrl = (url: string): string => url.replace(MASK, '$1')

/** Whether there are credentials behind the mask of an address. */
export const hasCredentials = (url: string): boolean => MASK.test(url)

/** A name for titles: host and path only. */
export const nameOf = (one: Mirror): string =>
  bareUrl(one.url)
    .replace(/^[a-z]+:\/\/(?:[^/@]*@)?/, '')
    .replace(/\.git$/, '')

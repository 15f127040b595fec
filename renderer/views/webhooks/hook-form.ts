import { sectionsFor } from './events.ts'
import type { EventFlag, Hook, HookInput, HookKind } from './hook.ts'
import { t } from '../../locales/t.ts'

/** A header or URL variable in the form; the value of a stored one is not readable. */
export type PairLine = { key: string; value: string; isStored: boolean }

/** The form of a webhook as its fields write it. */
export type HookForm = {
  url: string
  name: string
  description: string
  token: string
  /** Sends no token any more. */
  dropsToken: boolean
  enable_ssl_verification: boolean
  flags: Partial<Record<EventFlag, boolean>>
  push_events_branch_filter: string
  branch_filter_strategy: 'all_branches' | 'wildcard' | 'regex'
  custom_webhook_template: string
  url_variables: PairLine[]
  custom_headers: PairLine[]
}

const stored = (pairs: readonly { key: string }[] = []): PairLine[] =>
  pairs.map(({ key }) => ({ key, value: '', isStored: true }))

/** The form of a stored webhook, or of a new one. */
export const formOf = (kind: HookKind, hook: Hook | null): HookForm => {
  const flags = sectionsFor(kind).flatMap((section) => section.lines.map((line) => line.flag))
  const first = kind === 'system' ? 'repository_update_events' : 'push_events'
  const filter = hook?.push_events_branch_filter ?? ''
  return {
    url: hook?.url ?? '',
    name: hook?.name ?? '',
    description: hook?.description ?? '',
    token: '',
    dropsToken: false,
    enable_ssl_verification: hook?.enable_ssl_verification ?? true,
    flags: Object.fromEntries(flags.map((flag) => [flag, hook ? (hook[flag] ?? false) : flag === first])),
    push_events_branch_filter: filter,
    branch_filter_strategy: hook && filter ? hook.branch_filter_strategy : 'all_branches',
    custom_webhook_template: hook?.custom_webhook_template ?? '',
    url_variables: stored(hook?.url_variables),
    custom_headers: stored(hook?.custom_headers),
  }
}

const sentPairs = (lines: readonly PairLine[]) =>
  lines
    .filter((line) => line.key.trim() !== '')
    .map(({ key, value, isStored }) => (isStored && value === '' ? { key } : { key: key.trim(), value }))

/** The request body: without a token the current one stays, unless it is cleared. */
export const inputOf = (form: HookForm): HookInput => ({
  ...form.flags,
  url: form.url.trim(),
  name: form.name.trim() || null,
  description: form.description.trim() || null,
  ...(form.token ? { token: form.token } : form.dropsToken ? { token: null } : {}),
  enable_ssl_verification: form.enable_ssl_verification,
  push_events_branch_filter:
    form.branch_filter_strategy === 'all_branches' ? '' : form.push_events_branch_filter.trim(),
  branch_filter_strategy: form.branch_filter_strategy,
  custom_webhook_template: form.custom_webhook_template.trim() || null,
  url_variables: sentPairs(form.url_variables),
  custom_headers: sentPairs(form.custom_headers),
})

/** Errors of the API by field. */
export const problemsOf = (fields: Readonly<Record<string, string[]>>, original: string | null) => ({
  url:
    original === 'Invalid url given' ? [t('webhooks.invalid_url_use_http_or_https_define')] : fields['url'],
  filter:
    original === 'Invalid branch filter given'
      ? [t('webhooks.enter_a_branch_name_or_a_valid_regular')]
      : fields['push_events_branch_filter'],
})

/** Whether an error belongs to a field, so that it is not shown at the end of the form. */
export const isAtField = (fields: Readonly<Record<string, string[]>>, original: string | null): boolean =>
  original === 'Invalid url given' ||
  original === 'Invalid branch filter given' ||
  Object.keys(fields).some((name) => name !== 'base')

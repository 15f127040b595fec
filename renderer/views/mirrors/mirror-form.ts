import { bareUrl, hasCredentials, type Mirror, type Which } from './mirror.ts'
import { t } from '../../locales/t.ts'

/** The authentication method. `kept`: the stored credentials, which are never shown. */
export type Auth = 'none' | 'kept' | 'password' | 'ssh'

/** A mirror as it is being written. */
export type MirrorForm = {
  direction: 'push' | 'pull'
  url: string
  auth: Auth
  user: string
  password: string
  which: Which
  pattern: string
  enabled: boolean
  keeps: boolean
  overwrites: boolean
  triggersPipelines: boolean
}

const authOf = (one: Mirror): Auth => {
  if (one.auth === 'ssh_public_key') return 'ssh'
  return hasCredentials(one.url) ? 'kept' : 'none'
}

export const formOf = (one: Mirror | null): MirrorForm => ({
  direction: one?.direction ?? 'push',
  url: one ? bareUrl(one.url) : '',
  auth: one ? authOf(one) : 'password',
  user: '',
  password: '',
  which: one?.which ?? 'all',
  pattern: one?.pattern ?? '',
  enabled: one?.enabled ?? true,
  keeps: one?.keeps ?? false,
  overwrites: one?.overwrites ?? false,
  triggersPipelines: one?.triggersPipelines ?? false,
})

export const isSsh = (url: string): boolean => /^ssh:/i.test(url.trim())

/** The URL with the credentials to send: entered ones, a mask for stored ones, or none. */
export const addressOf = (form: MirrorForm): string => {
  const text = form.url.trim()
  const part = form.auth === 'kept' ? '*****:*****@' : credentialsOf(form)
  return part === '' ? text : text.replace(/^([a-z]+:\/\/)(?:[^/@]*@)?/i, `$1${part}`)
}

/** Written so that no sign in them can be taken for a part of the address. */
const credentialsOf = ({ auth, user, password }: MirrorForm): string => {
  if (auth !== 'password' || (user === '' && password === '')) return ''
  return `${encodeURIComponent(user)}:${encodeURIComponent(password)}@`
}

/**
 * The request for a push mirror. It contains `enabled` only if that changes: the shown value is also off
 * while the instance lets nothing out.
 */
export const pushInput = (form: MirrorForm, stored: Mirror | null = null) => ({
  url: addressOf(form),
  ...(stored?.enabled === form.enabled ? {} : { enabled: form.enabled }),
  keep_divergent_refs: form.keeps,
  auth_method: form.auth === 'ssh' ? ('ssh_public_key' as const) : ('password' as const),
  ...(isByName(form, stored)
    ? { mirror_branch_regex: patternOf(form) }
    : { only_protected_branches: form.which === 'protected' }),
})

/** Only one of the two ways to select branches may be sent. An emptied pattern is sent as empty. */
const isByName = (form: MirrorForm, stored: Mirror | null): boolean =>
  form.which === 'pattern' || (form.which === 'all' && stored?.which === 'pattern')
const patternOf = (form: MirrorForm): string | null => (form.which === 'pattern' ? form.pattern : null)

/** The parameters of a pull mirror. Unchanged credentials are omitted. */
export const pullInput = (form: MirrorForm, stored: Mirror | null = null) => ({
  enabled: true,
  url: form.auth === 'kept' ? form.url.trim() : addressOf(form),
  ...(isByName(form, stored)
    ? { mirror_branch_regex: patternOf(form) }
    : { only_mirror_protected_branches: form.which === 'protected' }),
  mirror_overwrites_diverged_branches: form.overwrites,
  mirror_trigger_builds: form.triggersPipelines,
})

/** The errors of the instance by field. */
export const problemsOf = (
  fields: Record<string, string[]>,
  message: string | null,
  original: string | null = message,
) => {
  const url = fields['url'] ?? fields['import_url'] ?? null
  const pattern = fields['mirror_branch_regex'] ?? null
  const isAddress = original?.endsWith(' is not a valid URL') ?? false
  return {
    url: url ?? (isAddress ? [t('mirrors.is_not_an_http_or_https_url')] : null),
    pattern,
    rest: url || pattern || isAddress ? null : message,
  }
}

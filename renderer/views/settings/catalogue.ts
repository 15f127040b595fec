import { VISIBILITIES } from '../../composables/visibility.ts'
import { mails, requests } from './outgoing.ts'

type Value = string | number | boolean | null
type Base = { key: string; label: string; help: string; fallback: Value }
type Option = { value: string | number; label: string }

/** One setting of the instance, as the page explains it. `fallback` is the value of a fresh instance. */
export type Setting =
  | (Base & { kind: 'switch' })
  | (Base & { kind: 'choice'; options: readonly Option[] })
  | (Base & {
      /** What is given for a `secret` is never shown again. */
      kind: 'text' | 'number' | 'prose' | 'secret'
      /** Stands behind the value: a unit. */
      unit?: string
      /** What an empty field means. Only such settings can be emptied. */
      empty?: string
    })

export type SettingGroup = { title: string; settings: readonly Setting[] }

const visibility = (key: string, label: string, thing: string): Setting => ({
  key,
  label,
  help: `When the request that makes a ${thing} does not say it.`,
  kind: 'choice',
  fallback: 'private',
  options: VISIBILITIES,
})

/** The settings that this page explains, in their groups. What the instance does not know is not shown. */
export const catalogue: readonly SettingGroup[] = [
  {
    title: 'New projects and groups',
    settings: [
      {
        key: 'default_branch_name',
        label: 'Name of the default branch',
        help: 'The first branch of new projects. Existing projects keep theirs.',
        kind: 'text',
        fallback: null,
        empty: 'main',
      },
      {
        key: 'default_branch_protection',
        label: 'Protection of the default branch',
        help: 'Who may push to the first branch of a new project.',
        kind: 'choice',
        fallback: 2,
        options: [
          { value: 0, label: 'None' },
          { value: 1, label: 'No force push' },
          { value: 2, label: 'Maintainers push' },
          { value: 3, label: 'Developers merge' },
          { value: 4, label: 'After first push' },
        ],
      },
      visibility('default_project_visibility', 'Visibility of new projects', 'project'),
      visibility('default_group_visibility', 'Visibility of new groups', 'group'),
      {
        key: 'default_projects_limit',
        label: 'Personal projects per user',
        help: 'For users who are made from now on. Projects in groups do not count.',
        kind: 'number',
        fallback: 100_000,
      },
      {
        key: 'can_create_group',
        label: 'New users may make groups at the top',
        help: 'Groups inside other groups are decided there.',
        kind: 'switch',
        fallback: true,
      },
    ],
  },
  {
    title: 'Accounts and sign-in',
    settings: [
      {
        key: 'signup_enabled',
        label: 'People may create their own account',
        help: 'Puts “Create an account” on the sign-in page. Otherwise an administrator makes accounts.',
        kind: 'switch',
        fallback: true,
      },
      {
        key: 'require_admin_approval_after_user_signup',
        label: 'New accounts wait for approval',
        help: 'Who signed up can sign in after an administrator has agreed.',
        kind: 'switch',
        fallback: true,
      },
      {
        key: 'minimum_password_length',
        label: 'Shortest password',
        help: 'Existing passwords stay valid.',
        kind: 'number',
        fallback: 8,
        unit: 'characters',
      },
      {
        key: 'password_authentication_enabled_for_web',
        label: 'Passwords are accepted in the window',
        help: 'Without it, people need another way in, or the application’s own window.',
        kind: 'switch',
        fallback: true,
      },
      {
        key: 'password_authentication_enabled_for_git',
        label: 'Passwords are accepted by git over HTTP',
        help: 'Without it, git needs an access token.',
        kind: 'switch',
        fallback: true,
      },
      {
        key: 'session_expire_delay',
        label: 'A session ends after',
        help: 'Counted from the last time it was used.',
        kind: 'number',
        fallback: 10_080,
        unit: 'minutes',
      },
      {
        key: 'sign_in_text',
        label: 'Text on the sign-in page',
        help: 'For instance whose instance this is and whom to ask.',
        kind: 'prose',
        fallback: null,
        empty: 'none',
      },
    ],
  },
  {
    title: 'Limits',
    settings: [
      {
        key: 'receive_max_input_size',
        label: 'Largest push',
        help: 'Larger ones are refused at the git prompt.',
        kind: 'number',
        fallback: null,
        unit: 'MB',
        empty: 'no limit',
      },
      {
        key: 'max_attachment_size',
        label: 'Largest upload',
        help: 'Files in comments and descriptions.',
        kind: 'number',
        fallback: 10,
        unit: 'MB',
      },
    ],
  },
  {
    title: 'Pipelines',
    settings: [
      {
        key: 'max_artifacts_size',
        label: 'Largest file of a job',
        help: 'Archives and reports beyond it are refused.',
        kind: 'number',
        fallback: 100,
        unit: 'MB',
      },
      {
        key: 'default_artifacts_expire_in',
        label: 'Files of jobs are kept for',
        help: 'Unless the job says otherwise; 0 or never keeps them.',
        kind: 'text',
        fallback: '30 days',
      },
      {
        key: 'keep_latest_artifact',
        label: 'Keep the files of the last success',
        help: 'Of each branch and tag, however old they are.',
        kind: 'switch',
        fallback: true,
      },
    ],
  },
  mails,
  requests,
]

/** Stands for a secret that the instance keeps. */
export const KEPT = Symbol('kept')

/** What the instance has for a setting. */
export const storedValue = (setting: Setting, values: Record<string, unknown>): unknown => {
  if (setting.kind !== 'secret') return values[setting.key] ?? null
  return values[`${setting.key}_set`] === true ? KEPT : null
}

/** Whether the instance knows a setting. */
export const isKnown = (setting: Setting, values: Record<string, unknown>): boolean =>
  setting.key in values || (setting.kind === 'secret' && `${setting.key}_set` in values)

/** How a value is said in the line of defaults. */
export const sayValue = (setting: Setting, value: unknown): string => {
  if (setting.kind === 'switch') return value ? 'on' : 'off'
  if (setting.kind === 'choice') {
    return setting.options.find((option) => option.value === value)?.label.toLowerCase() ?? String(value)
  }
  if (value === '' || value == null) return setting.empty ?? 'none'
  const text = typeof value === 'number' ? value.toLocaleString('en') : String(value)
  return setting.unit ? `${text} ${setting.unit}` : text
}

/** Whether a value is what a fresh instance has; writing out what empty means counts as that. */
export const isFallback = (setting: Setting, value: unknown): boolean => {
  if ((value ?? null) === setting.fallback) return true
  return 'empty' in setting && setting.fallback === null && (value === '' || value === setting.empty)
}

/** What a field's text means for its setting: a number, a text, or null where empty has a meaning. */
export const readField = (setting: Setting, text: string): unknown => {
  if (setting.kind === 'switch' || setting.kind === 'choice') return text
  // Nothing typed leaves a secret as it is.
  if (setting.kind === 'secret') return text === '' ? undefined : text
  if (text.trim() === '' && setting.empty !== undefined) return null
  if (setting.kind !== 'number') return text
  return /^\d+$/.test(text.trim()) ? Number(text) : text
}

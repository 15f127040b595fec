import { VISIBILITIES } from '../../composables/visibility.ts'

type Base = { key: string; label: string; help: string }

/** One setting of the instance, as the page explains it. `fallback` is the value of a fresh instance. */
export type Setting =
  | (Base & { kind: 'switch'; fallback: boolean })
  | (Base & { kind: 'text'; fallback: string })
  | (Base & { kind: 'choice'; fallback: string; options: readonly { value: string; label: string }[] })

export type SettingGroup = { title: string; settings: readonly Setting[] }

/** The settings that this version honours, grouped. Later areas add theirs; what the instance does not know is not shown. */
export const catalogue: readonly SettingGroup[] = [
  {
    title: 'New projects and groups',
    settings: [
      {
        key: 'default_branch_name',
        label: 'Name of the default branch',
        help: 'For projects that begin with a README. Existing projects keep theirs.',
        kind: 'text',
        fallback: 'main',
      },
      {
        key: 'default_project_visibility',
        label: 'Visibility of new projects',
        help: 'When the request that makes a project does not say it.',
        kind: 'choice',
        fallback: 'private',
        options: VISIBILITIES,
      },
      {
        key: 'default_group_visibility',
        label: 'Visibility of new groups',
        help: 'When the request that makes a group does not say it.',
        kind: 'choice',
        fallback: 'private',
        options: VISIBILITIES,
      },
    ],
  },
  {
    title: 'Accounts',
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
    ],
  },
]

/** How a value is said in the line of defaults. */
export const sayValue = (setting: Setting, value: unknown): string => {
  if (setting.kind === 'switch') return value ? 'on' : 'off'
  if (setting.kind === 'choice') {
    return setting.options.find((option) => option.value === value)?.label.toLowerCase() ?? String(value)
  }
  return value === '' || value == null ? 'none' : String(value)
}

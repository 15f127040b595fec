import { bool, int, text } from '../../http/params.ts'

const line = (description: string, max = 255) => text({ max }).nullable().optional().describe(description)

/** The profile fields that users set. The columns have the same names. */
export const profileParams = {
  bio: line('About the user'),
  location: line('Location'),
  organization: line('Organization'),
  job_title: line('Job title'),
  website_url: line('Web site', 1024),
  linkedin: line('Name on LinkedIn', 500),
  skype: line('Name on Skype', 500),
  twitter: line('Name on Twitter', 500),
  discord: line('Id on Discord', 500),
  pronouns: line('Pronouns', 50),
  private_profile: bool().nullable().optional().describe('Hide most of the profile from others'),
  public_email: line('Address that everybody sees; a confirmed one of the user', 254),
  commit_email: line('Address in commits; a confirmed one of the user, or `_private`', 254),
  theme_id: int({ min: 1, max: 11 }).optional().describe('Colours of the window'),
  color_scheme_id: int({ min: 1, max: 6 }).optional().describe('Colours of code'),
  view_diffs_file_by_file: bool().optional().describe('Show one file of a diff at a time'),
}

/** The fields of a user that only administrators set. */
export const accountParams = {
  ...profileParams,
  can_create_group: bool().optional().describe('May create top-level groups'),
  external: bool().optional().describe('Does not see internal groups and projects'),
  auditor: bool().optional().describe('May read everything'),
  projects_limit: int({ min: 0 }).optional().describe('Personal projects the user may have'),
  note: text({ max: 10_000 }).nullable().optional().describe('Note of administrators'),
  shared_runners_minutes_limit: int({ min: 0 })
    .nullable()
    .optional()
    .describe('Minutes on shared runners in a month; empty for the limit of the instance, 0 for no limit'),
  extra_shared_runners_minutes_limit: int({ min: 0 })
    .nullable()
    .optional()
    .describe('Additional minutes on shared runners'),
}

const RENAMED: Readonly<Record<string, string>> = { admin: 'is_admin', auditor: 'is_auditor' }
/** Columns that may be null. The others become empty instead. */
const NULLABLE = new Set([
  'pronouns',
  'note',
  'commit_email',
  'shared_runners_minutes_limit',
  'extra_shared_runners_minutes_limit',
])

/** Turns attributes into columns. Leaves out undefined attributes; null clears. */
export function toColumns(
  given: Readonly<Record<string, unknown>>,
): Record<string, string | number | boolean | null> {
  const columns: Record<string, string | number | boolean | null> = {}
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue
    const column = RENAMED[name] ?? name
    if (value === null) columns[column] = NULLABLE.has(name) ? null : name === 'private_profile' ? false : ''
    else columns[column] = value as string | number | boolean
  }
  // An empty commit address selects the primary one.
  if (columns['commit_email'] === '') columns['commit_email'] = null
  return columns
}

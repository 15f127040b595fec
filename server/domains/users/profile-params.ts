import { bool, int, text } from '../../http/params.ts'

const line = (description: string, max = 255) => text({ max }).nullable().optional().describe(description)

/** What users may say of themselves, columns of the same name. */
export const profileParams = {
  bio: line('About the user'),
  location: line('Where the user is'),
  organization: line('Organization'),
  job_title: line('What the user does there'),
  website_url: line('Web site', 1024),
  linkedin: line('Name at that network', 500),
  skype: line('Name at that service', 500),
  twitter: line('Name at that network', 500),
  discord: line('Id at that service', 500),
  pronouns: line('How to speak of the user', 50),
  private_profile: bool().nullable().optional().describe('Others see little of the profile'),
  public_email: line('Address that everybody sees; a confirmed one of the user', 254),
  commit_email: line('Address in commits; a confirmed one of the user, or `_private`', 254),
  theme_id: int({ min: 1, max: 11 }).optional().describe('Colours of the window'),
  color_scheme_id: int({ min: 1, max: 6 }).optional().describe('Colours of code'),
  view_diffs_file_by_file: bool().optional().describe('Show one file of a diff at a time'),
}

/** What administrators decide about a user beside it. */
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
    .describe('Minutes on shared runners in a month; empty means the limit of the instance, 0 none'),
  extra_shared_runners_minutes_limit: int({ min: 0 })
    .nullable()
    .optional()
    .describe('Minutes on shared runners beyond those'),
}

const RENAMED: Readonly<Record<string, string>> = { admin: 'is_admin', auditor: 'is_auditor' }
/** Columns that may be null; the others are empty instead. */
const NULLABLE = new Set([
  'pronouns',
  'note',
  'commit_email',
  'shared_runners_minutes_limit',
  'extra_shared_runners_minutes_limit',
])

/** Attributes as given → columns. What was not given is not in the result; null clears. */
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
  // An empty commit address is the primary one.
  if (columns['commit_email'] === '') columns['commit_email'] = null
  return columns
}

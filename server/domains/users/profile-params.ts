import { bool, int, text } from '../../http/params.ts'

/** What may be said of a user at creation and later alike. */
export const profileParams = {
  bio: text({ max: 255 }).optional().describe('About the user'),
  location: text({ max: 255 }).optional().describe('Where the user is'),
  organization: text({ max: 255 }).optional().describe('Organization'),
  website_url: text({ max: 1024 }).optional().describe('Web site'),
  private_profile: bool().nullable().optional().describe('Others see little of the profile'),
  can_create_group: bool().optional().describe('May create top-level groups'),
  external: bool().optional().describe('Does not see internal groups and projects'),
  projects_limit: int({ min: 0 }).optional().describe('Personal projects the user may have'),
  note: text({ max: 10_000 }).nullable().optional().describe('Note of administrators'),
}

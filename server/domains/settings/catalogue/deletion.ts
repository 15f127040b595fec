import { flag, whole } from './kinds.ts'
import type { Setting } from './setting.ts'

/** What becomes of projects and groups that are deleted, or that nobody uses. */
export const deletion = {
  delayed_project_deletion: flag(
    false,
    'Deleted projects are kept for some days',
    'They are marked and can be restored until then.',
  ),
  delayed_group_deletion: flag(
    true,
    'Deleted groups are kept for some days',
    'They are marked and can be restored until then.',
  ),
  deletion_adjourned_period: whole(7, 'How long deleted things are kept', '0 deletes at once.', {
    unit: 'days',
    min: 0,
    max: 90,
  }),
  default_project_deletion_protection: flag(
    false,
    'Only administrators delete projects',
    'Otherwise owners of projects can.',
  ),
  delete_inactive_projects: flag(
    false,
    'Inactive projects are deleted',
    'Projects in which nothing happens any more go, after a warning.',
  ),
  inactive_projects_delete_after_months: whole(
    2,
    'Deleted after',
    'Without anything that happens in the project.',
    { unit: 'months', above: 0, max: 1200, below: 'delete_inactive_projects' },
  ),
  inactive_projects_send_warning_email_after_months: whole(
    1,
    'Warned of after',
    'Owners of the project hear of it by e-mail.',
    { unit: 'months', above: 0, max: 1200, below: 'delete_inactive_projects' },
  ),
  inactive_projects_min_size_mb: whole(0, 'Only projects larger than', 'The size of their repository.', {
    unit: 'MB',
    min: 0,
    below: 'delete_inactive_projects',
  }),
} satisfies Record<string, Setting>

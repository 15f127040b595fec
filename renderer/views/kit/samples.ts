import { FileText, GitBranch, User } from '@lucide/vue'

/**
 * Samples of the kit's page. They show the parts, so they are the same in every language, like the names of components.
 */
export const NAMES = { kit: 'Kit' }

export const LONG =
  'a-very-long-branch-name-that-someone-typed-without-thinking-of-narrow-windows-and-never-shortened-afterwards'
export const SENTENCE =
  'The description of a project can be long. It wraps where there is room for lines, and is cut where there is room for one.'
export const WORDS = {
  save: 'Save',
  open: 'Open',
  delete: 'Delete',
  label: 'Project name',
  help: 'Shown in lists.',
  error: ['has already been taken'],
  none: 'No projects yet',
  day: 'Due date',
}
export const OPTIONS = [
  { value: 'a', label: 'Developer' },
  { value: 'b', label: 'Maintainer' },
  { value: 'c', label: 'Owner', disabled: true },
]
export const SHORT_OPTIONS = [
  { value: 'open', label: 'Open', count: 12 },
  { value: 'merged', label: 'Merged', count: 1204 },
  { value: 'all', label: 'All' },
]
export const PEOPLE = [
  { value: '1', label: 'Mara Lindqvist', note: '@mara', person: true },
  { value: '2', label: LONG, note: '@long', person: true },
  { value: '3', label: 'main', note: 'default', icon: GitBranch },
]
export const MENU = [
  { label: 'Copy path', icon: FileText, keys: 'mod+c' },
  { label: 'Assigned to you', icon: User, checked: true },
  { label: 'Rename', note: 'Maintainers only', disabled: true },
  null,
  { label: 'Delete…', danger: true },
]
export const CODE = `pub fn height(hours: f64) -> f64 {
    // Twelve hours and twenty-five minutes from one high water to the next.
    1.8 * (hours / 12.42).cos()
}
`
export const STATUSES = [
  'success',
  'failed',
  'running',
  'pending',
  'canceled',
  'skipped',
  'manual',
  'scheduled',
  'created',
  'preparing',
  'waiting_for_resource',
  'canceling',
]

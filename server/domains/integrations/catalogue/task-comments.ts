import { family, field, secret } from './declare.ts'

const RESTRICT = field('restrict_to_branch', 'Only these branches', {
  help: 'Names with commas between; all without one.',
})

export const taskComments = family(
  'task_comments',
  {
    slug: 'asana',
    title: 'Asana',
    description: 'Commits become comments of the Asana tasks that they name.',
    fields: [secret('api_key', 'Personal access token'), RESTRICT],
    events: ['push'],
  },
  {
    slug: 'pivotaltracker',
    title: 'Pivotal Tracker',
    description: 'Commits become comments of the stories that they name.',
    fields: [secret('token', 'Token'), RESTRICT],
    events: ['push'],
  },
)

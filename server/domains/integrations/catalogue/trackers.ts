import { family, field, type Field, required, secret, server } from './declare.ts'

const PROJECT_URL = required('project_url', 'Address of the project', {
  format: 'link',
  help: 'The page that lists the issues of the project.',
})

const ISSUES_URL = required('issues_url', 'Address of an issue', {
  format: 'link',
  help: 'Use `:id` for the number of the issue.',
})

const NEW_ISSUE_URL = required('new_issue_url', 'Address of the form for a new issue', { format: 'link' })

const TRACKER: readonly Field[] = [PROJECT_URL, ISSUES_URL, NEW_ISSUE_URL]

/** Trackers have no events, but API clients send this flag. */
const FLAGS = ['push_events'] as const

const JIRA_FIELDS: readonly Field[] = [
  required('url', 'Web address', {
    format: 'address',
    is_destination: true,
    help: 'For example `https://jira.example.com`.',
  }),
  field('api_url', 'Address of the API', {
    format: 'address',
    is_destination: true,
    help: 'Only if it differs from the web address.',
  }),
  field('jira_auth_type', 'Sign in with', {
    type: 'integer',
    min: 0,
    max: 1,
    default: 0,
    help: '0: user name and password, or the token of an account. 1: a personal access token.',
  }),
  required('username', 'User name or email address', { unless: { name: 'jira_auth_type', value: 1 } }),
  secret('password', 'Password or token'),
  field('jira_issue_transition_automatic', 'Move issues to done automatically', {
    type: 'boolean',
    default: false,
    help: 'Commits and merge requests that close an issue move it to the next state that counts as done.',
  }),
  field('jira_issue_transition_id', 'Transitions', {
    pattern: /^\s*\d+(\s*[,;]\s*\d+)*\s*$/,
    help: 'Numbers of the transitions that close an issue, separated by commas.',
  }),
  field('jira_issue_prefix', 'Prefix of issues', { help: 'The text before the keys of issues.' }),
  field('jira_issue_regex', 'Pattern of issues', {
    format: 'regex',
    help: 'A regular expression that keys of issues match.',
  }),
]

export const issueTrackers = family(
  'issue_tracker',
  {
    slug: 'bugzilla',
    title: 'Bugzilla',
    description: 'References to issues link to Bugzilla.',
    fields: TRACKER,
    flags: FLAGS,
  },
  {
    slug: 'clickup',
    title: 'ClickUp',
    description: 'References to issues link to ClickUp.',
    fields: [PROJECT_URL, ISSUES_URL],
    flags: FLAGS,
  },
  {
    slug: 'custom-issue-tracker',
    title: 'Custom issue tracker',
    description: 'References to issues link to a tracker on another server.',
    fields: TRACKER,
    flags: FLAGS,
  },
  {
    slug: 'ewm',
    title: 'EWM',
    description: 'References to work items link to Engineering Workflow Management.',
    fields: [PROJECT_URL, { ...ISSUES_URL, pattern: /:id/ }, NEW_ISSUE_URL],
    flags: FLAGS,
  },
  {
    slug: 'jira',
    title: 'Jira',
    description:
      'Commits and merge requests comment on the Jira issues that they mention. Issue keys become links.',
    fields: JIRA_FIELDS,
    // Pushes contain the commits.
    events: ['push', 'merge_request'],
    flagOf: { push: 'commit_events' },
    flags: ['comment_on_event_enabled'],
  },
  {
    slug: 'phorge',
    title: 'Phorge',
    description: 'References to tasks link to Phorge.',
    fields: [PROJECT_URL, ISSUES_URL],
    flags: FLAGS,
  },
  {
    slug: 'redmine',
    title: 'Redmine',
    description: 'References to issues link to Redmine.',
    fields: TRACKER,
    flags: FLAGS,
  },
  {
    slug: 'youtrack',
    title: 'YouTrack',
    description: 'References to issues link to YouTrack.',
    fields: [PROJECT_URL, ISSUES_URL],
    flags: FLAGS,
  },
  {
    slug: 'zentao',
    title: 'ZenTao',
    description: 'Issues are kept in ZenTao.',
    fields: [
      server('url', 'Web address'),
      field('api_url', 'Address of the API', { format: 'address', is_destination: true }),
      secret('api_token', 'Token'),
      required('zentao_product_xid', 'ID of the product'),
    ],
  },
)

const RESTRICT = field('restrict_to_branch', 'Only these branches', {
  help: 'Names of branches, separated by commas. Leave empty for all branches.',
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

export const documentation = family(
  'documentation',
  {
    slug: 'confluence',
    title: 'Confluence Workspace',
    description: 'A Confluence workspace instead of the wiki.',
    fields: [
      required('confluence_url', 'Address of the workspace', {
        format: 'link',
        // Only for the vendor's cloud.
        pattern: /^https:\/\/[^/\s?#@]+\.atlassian\.net\/wiki(?:\/[^\s]*)?$/,
        help: 'For example `https://example.atlassian.net/wiki`.',
      }),
    ],
  },
  {
    slug: 'external-wiki',
    title: 'External wiki',
    description: 'A wiki on another server, which the sidebar links to.',
    fields: [required('external_wiki_url', 'Address of the wiki', { format: 'link' })],
  },
  {
    slug: 'shimo',
    title: 'Shimo',
    description: 'A Shimo workspace instead of the wiki.',
    fields: [required('external_wiki_url', 'Address of the workspace', { format: 'link' })],
  },
)

import { expect } from 'vitest'

import { section, line, unproven } from '../section.ts'

export const statements = section(
  'Events',
  async (w) => ({ at: `/projects/${(await w.make.project()).id}/integrations/slack` }),
  [
    line(
      'The service emits notifications to configured integrations, controlled by boolean flags: commit_events, push_events, issues_events, confidential_issues_events, merge_requests_events, tag_push_events, note_events, confidential_note_events, pipeline_events, wiki_page_events, job_events. The chat-type integrations can limit pipeline notifications to broken pipelines and to branch classes `all`, `default`, `protected`, `default_and_protected`.',
      'PUT …/integrations/slack with each switch → GET shows it',
      async ({ root, at }) => {
        const names = [
          'push_events',
          'issues_events',
          'confidential_issues_events',
          'merge_requests_events',
          'tag_push_events',
          'note_events',
          'confidential_note_events',
          'pipeline_events',
          'wiki_page_events',
        ]
        const flags = Object.fromEntries(names.map((name) => [name, true]))
        await root.put(at, {
          webhook: 'https://chat.example.com/x',
          ...flags,
          branches_to_be_notified: 'protected',
          notify_only_broken_pipelines: true,
        })
        expect((await root.get(at)).body).toMatchObject(flags)
      },
    ),
    unproven(
      'To-do items are created for users on the actions `assigned`, `mentioned`, `build_failed`, `marked`, `approval_required`, `unmergeable`, `directly_addressed`, `merge_train_removed`, `member_access_requested`.',
      'test/api/todos makes one for each action.',
    ),
    unproven(
      'Project export can upload the archive to a caller-supplied URL (Content-Type `application/gzip`, method PUT or POST) when the export completes.',
      'test/api/import_export/projects sends an archive to a receiver.',
    ),
    unproven(
      'Payload shapes and delivery of integration notifications: not shown.',
      'The contract does not show them; test/api/webhooks and test/api/integrations check them.',
    ),
  ],
)

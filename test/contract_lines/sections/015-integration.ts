import { hasFields, section, line } from '../section.ts'

export const statements = section(
  'Integration (list entry)',
  async (w, root) => {
    const { id } = await w.make.project()
    await root.put(`/projects/${id}/integrations/emails-on-push`, { recipients: 'a@example.test' })
    return { list: (await root.get(`/projects/${id}/integrations`)).body }
  },
  [
    line(
      'Fields: id, title, slug, created_at, updated_at, active (boolean), and boolean event flags commit_events, push_events, issues_events, confidential_issues_events, merge_requests_events, tag_push_events, note_events, confidential_note_events, pipeline_events, wiki_page_events, job_events, comment_on_event_enabled.',
      'GET /projects/:id/integrations → [entry]',
      ({ list }) => {
        const flags = [
          'commit_events',
          'push_events',
          'issues_events',
          'confidential_issues_events',
          'merge_requests_events',
          'tag_push_events',
          'note_events',
          'confidential_note_events',
          'pipeline_events',
          'wiki_page_events',
          'job_events',
          'comment_on_event_enabled',
        ]
        const booleans = Object.fromEntries(flags.map((name) => [name, 'boolean' as const]))
        hasFields(list[0], {
          id: 'integer',
          title: 'string',
          slug: 'string',
          created_at: 'timestamp',
          updated_at: 'timestamp',
          active: 'boolean',
          ...booleans,
        })
      },
    ),
  ],
)

import { hasFields, section, line } from '../section.ts'

export const statements = section(
  'Group push rule',
  async (w) => ({ at: `/groups/${(await w.make.group()).id}/push_rule` }),
  [
    line(
      'Fields: id, created_at, commit_message_regex, commit_message_negative_regex, branch_name_regex, deny_delete_tag (boolean), member_check (boolean), prevent_secrets (boolean), author_email_regex, file_name_regex, max_file_size (integer, MB); request-only extras are listed under Endpoints.',
      'POST /groups/:id/push_rule → these fields',
      async ({ root, at }) => {
        const { body } = await root.post(at, { max_file_size: 7 })
        hasFields(body, {
          id: 'integer',
          created_at: 'timestamp',
          commit_message_regex: 'string?',
          commit_message_negative_regex: 'string?',
          branch_name_regex: 'string?',
          deny_delete_tag: 'boolean',
          member_check: 'boolean',
          prevent_secrets: 'boolean',
          author_email_regex: 'string?',
          file_name_regex: 'string?',
          max_file_size: 'integer',
        })
      },
    ),
  ],
)

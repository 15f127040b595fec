import { expect, it } from 'vitest'

import { toCsv } from '../../renderer/views/audit/csv.ts'

const line = {
  id: 7,
  author_id: -1,
  entity_id: 3,
  entity_type: 'Project',
  event_name: 'member_created',
  details: {
    author_name: '=HYPERLINK("x")',
    custom_message: 'Added ann, "the best",\nas Guest',
    entity_path: 'a/b',
    target_type: 'User',
    target_details: null,
    ip_address: '127.0.0.1',
  },
  created_at: '2026-11-22T12:00:00.000Z',
}

it('the window exports audit events as CSV without formulas for spreadsheets', () => {
  const [head, ...rows] = toCsv([line]).split('\r\n')
  expect(head).toBe(
    'id,created_at,author_id,author_name,event_name,message,entity_type,entity_id,entity_path,target_type,target_details,ip_address',
  )
  expect(rows.join('\r\n')).toBe(
    '7,2026-11-22T12:00:00.000Z,-1,"\'=HYPERLINK(""x"")",member_created,"Added ann, ""the best"",\nas Guest",Project,3,a/b,User,,127.0.0.1',
  )
})

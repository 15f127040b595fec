import { describe, expect, it } from 'vitest'

import { inverseOf, isChanged, type BulkRow } from '../../renderer/components/pick/bulk-edit.ts'

const row: BulkRow = {
  iid: 1,
  project_id: 2,
  state: 'opened',
  labels: ['bug', { name: 'docs' }],
  assignees: [{ id: 7 }],
  milestone: null,
}

describe('a change of many issues', () => {
  it('skips those that already have the state', () => {
    expect(isChanged(row, { state_event: 'close' })).toBe(true)
    expect(isChanged(row, { state_event: 'reopen' })).toBe(false)
    expect(isChanged(row, { milestone_id: 3 })).toBe(true)
  })

  it('is undone with a separate update for each of them', () => {
    expect(inverseOf(row, { state_event: 'close' })).toEqual({ state_event: 'reopen' })
    expect(inverseOf(row, { add_labels: ['docs', 'new'] })).toEqual({ remove_labels: ['new'] })
    expect(inverseOf(row, { add_labels: ['bug'] })).toEqual({})
    expect(inverseOf(row, { assignee_ids: [9] })).toEqual({ assignee_ids: [7] })
    expect(inverseOf(row, { milestone_id: 3 })).toEqual({ milestone_id: 0 })
  })
})

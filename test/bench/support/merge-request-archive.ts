import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'

import { pack } from 'tar-stream'

import { wordOf } from './seed-merge-requests.ts'

const LABELS = 40
const NOTES = 10

const at = (index: number): string => new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString()
const sha = (index: number): string => index.toString(16).padStart(40, 'a')

function noteOf(index: number, turn: number): object {
  const created_at = at(index * NOTES + turn)
  return {
    note: `What number ${index} does about the ${wordOf(index + turn)} is ${turn} times better than before, but look at line ${turn}.`,
    noteable_type: 'MergeRequest',
    author_id: 1,
    created_at,
    updated_at: created_at,
    system: turn === 0,
    type: turn > 5 ? 'DiscussionNote' : null,
    discussion_id: turn > 5 ? sha(index) : sha(index * NOTES + turn),
    author: { name: 'Administrator' },
    award_emoji: turn === 1 ? [{ user_id: 1, name: 'tada', awardable_type: 'Note', created_at }] : [],
    system_note_metadata: turn === 0 ? { action: 'title', created_at, updated_at: created_at } : null,
    events: [],
    suggestions: [],
  }
}

function requestOf(index: number): object {
  const created_at = at(index)
  const label = (number: number): object => ({
    label: { title: `label-${number % LABELS}`, color: '#6699cc' },
  })
  return {
    iid: index + 1,
    title: `Mend the ${wordOf(index * 7)} of number ${index}`,
    description: `What was wrong with number ${index}, and how it was found.\n\n- [ ] look again`,
    state: ['opened', 'merged', 'closed'][index % 3],
    source_branch: `fix-${index}`,
    target_branch: 'main',
    source_project_id: 7,
    target_project_id: 7,
    author_id: 1,
    created_at,
    updated_at: created_at,
    merge_request_assignees: [{ user_id: 1 }],
    merge_request_reviewers: [{ user_id: 1, state: 'reviewed' }],
    label_links: [label(index), label(index * 3 + 1)],
    metrics: { merged_at: created_at, merged_by_id: 1 },
    merge_request_diff: {
      state: 'collected',
      base_commit_sha: sha(1),
      start_commit_sha: sha(1),
      head_commit_sha: sha(index + 2),
      real_size: '2',
      created_at,
      merge_request_diff_commits: [{ sha: sha(index + 2), relative_order: 0 }],
      merge_request_diff_files: [
        { new_path: 'a.txt', old_path: 'a.txt', utf8_diff: '@@ -1 +1 @@\n-one\n+two\n', relative_order: 0 },
      ],
    },
    notes: Array.from({ length: NOTES }, (_, turn) => noteOf(index, turn)),
    events: [{ action: 'created', target_type: 'MergeRequest', author_id: 1, created_at }],
    resource_label_events: [{ action: 'add', user_id: 1, created_at, ...label(index) }],
  }
}

/** Writes an archive with `count` merge requests and ten notes each. */
export async function writeMergeRequestArchive(file: string, count: number): Promise<void> {
  const tar = pack()
  const written = pipeline(tar, createGzip({ level: 1 }), createWriteStream(file))
  tar.entry({ name: './VERSION' }, '0.2.4')
  tar.entry({ name: './tree/project.json' }, '{"description":"Measured","visibility_level":0}')
  const size = Array.from({ length: count }, (_, index) => Buffer.byteLength(lineOf(index))).reduce(
    (a, b) => a + b,
    0,
  )
  const entry = tar.entry({ name: './tree/project/merge_requests.ndjson', size })
  for (let index = 0; index < count; index++) if (!entry.write(lineOf(index))) await once(entry, 'drain')
  entry.end('')
  await once(entry, 'finish')
  tar.finalize()
  await written
}

const lineOf = (index: number): string => `${JSON.stringify(requestOf(index))}\n`

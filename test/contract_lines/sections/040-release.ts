import { expect } from 'vitest'

import { hasFields, hasOnlyFields, section, line } from '../section.ts'

export const statements = section(
  'Release',
  async (w, root) => {
    const { id } = await w.make.project({ with: 'readme' })
    const { body: milestone } = await root.post(`/projects/${id}/milestones`, { title: 'one' })
    await root.post(`/projects/${id}/releases`, {
      tag_name: 'v1',
      ref: 'main',
      name: 'First',
      description: 'It is here',
      milestones: [milestone.title],
      assets: { links: [{ name: 'app', url: 'https://example.com/app', link_type: 'package' }] },
    })
    await w.drain()
    return { at: `/projects/${id}/releases/v1` }
  },
  [
    line(
      'Fields: tag_name, description, name, created_at, released_at, author (user summary), commit (id, short_id, title, created_at, parent_ids, message, author_name, author_email, authored_date, committer_name, committer_email, committed_date), milestones (array with issue_stats `{total, closed}`), commit_path, tag_path, assets `{count, sources (array of {format, url}; formats zip, tar.gz, tar.bz2, tar), links (array of {id, name, url, external, link_type}), evidence_file_path}`, evidences (array of `{sha, filepath, collected_at}`). Link types: `other`, `runbook`, `image`, `package`.',
      'GET /projects/:id/releases/:tag_name → these fields',
      async ({ root, at }) => {
        const { body } = await root.get(at)
        hasFields(body, {
          tag_name: 'string',
          description: 'string?',
          name: 'string',
          created_at: 'timestamp',
          released_at: 'timestamp',
          author: 'object',
          commit: 'object',
          milestones: 'array',
          commit_path: 'string',
          tag_path: 'string',
          assets: 'object',
          evidences: 'array',
        })
        hasFields(body.commit, {
          id: 'string',
          short_id: 'string',
          title: 'string',
          created_at: 'any',
          parent_ids: 'array',
          message: 'string',
          author_name: 'string',
          author_email: 'string',
          authored_date: 'any',
          committer_name: 'string',
          committer_email: 'string',
          committed_date: 'any',
        })
        hasOnlyFields(body.milestones[0].issue_stats, { total: 'integer', closed: 'integer' })
        hasFields(body.assets, {
          count: 'integer',
          sources: 'array',
          links: 'array',
          evidence_file_path: 'string',
        })
        expect(body.assets.sources.map((source: { format: string }) => source.format)).toEqual([
          'zip',
          'tar.gz',
          'tar.bz2',
          'tar',
        ])
        hasFields(body.assets.links[0], {
          id: 'integer',
          name: 'string',
          url: 'string',
          external: 'boolean',
          link_type: 'string',
        })
        hasFields(body.evidences[0], { sha: 'string', filepath: 'string', collected_at: 'timestamp' })
        for (const link_type of ['other', 'runbook', 'image', 'package']) {
          const made = await root.post(`${at}/assets/links`, {
            name: link_type,
            url: `https://example.com/${link_type}`,
            link_type,
          })
          expect([made.status, made.body.link_type]).toEqual([201, link_type])
        }
      },
    ),
  ],
)

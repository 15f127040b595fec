import { Gitlab } from '@gitbeaker/rest'
import { describe, expect, it } from 'vitest'

import { world } from '../../support/world.ts'

// Runs an unmodified client against a real instance.
const here = await world()
const api = new Gitlab({ host: here.url, token: here.root.token })
const project = await here.make.project({ with: 'readme' })
const PIXEL = Buffer.from(
  '89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360000002000001e221bc330000000049454e44ae426082',
  'hex',
)

describe('@gitbeaker/rest with the instance', () => {
  it('lists and shows templates', async () => {
    const kinds = [
      'GitignoreTemplates',
      'GitLabCIYMLTemplates',
      'DockerfileTemplates',
      'LicenseTemplates',
    ] as const
    for (const kind of kinds) {
      const [first] = await api[kind].all()
      const shown = await api[kind].show((first as { key: string }).key)
      expect([kind, (shown as { content: string }).content.length > 20]).toEqual([kind, true])
    }
  })

  it('changes the appearance, including a logo', async () => {
    const logo = { filename: 'logo.png', content: new Blob([PIXEL]) }
    expect(await api.ApplicationAppearance.edit({ title: 'Ours', logo })).toMatchObject({
      title: 'Ours',
      logo: '/uploads/-/system/appearance/logo/1/logo.png',
    })
    expect(await api.ApplicationAppearance.show()).toMatchObject({ title: 'Ours' })
    const picture = await fetch(`${here.url}/uploads/-/system/appearance/logo/1/logo.png`)
    expect(Buffer.from(await picture.arrayBuffer())).toEqual(PIXEL)
  })

  it('updates settings with lists and percentages', async () => {
    await api.ApplicationSettings.edit({ domainAllowlist: ['a.example', 'b.example'], maxAttachmentSize: 20 })
    const shown = await api.ApplicationSettings.show()
    expect([shown.domain_allowlist, shown.max_attachment_size]).toEqual([['a.example', 'b.example'], 20])
    await api.ApplicationSettings.edit({ domainAllowlist: [] })
    expect((await api.ApplicationSettings.show()).domain_allowlist).toEqual([])
  })

  it('manages push rules and a wiki with an attachment', async () => {
    const rule = { commitMessageRegex: '.', maxFileSize: 3, rejectUnsignedCommits: true }
    expect(await api.ProjectPushRules.create(project.id, rule)).toMatchObject({
      commit_message_regex: '.',
      max_file_size: 3,
      reject_unsigned_commits: true,
    })
    await api.ProjectPushRules.remove(project.id)
    expect(await api.ProjectWikis.create(project.id, 'text', 'Dir/My page')).toMatchObject({
      slug: 'Dir/My-page',
      title: 'My page',
    })
    const file = { filename: 'a b.png', content: new Blob([PIXEL]) }
    const { link } = (await api.ProjectWikis.uploadAttachment(project.id, file)) as unknown as {
      link: { url: string; markdown: string }
    }
    expect(link.markdown).toBe(`![a_b](${link.url})`)
    await api.ProjectWikis.edit(project.id, 'Dir/My-page', { title: '/Root' })
    expect(await api.ProjectWikis.show(project.id, 'Root', { renderHtml: true })).toMatchObject({
      content: expect.stringContaining('<p'),
    })
  })
})

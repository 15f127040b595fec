import { family, required } from './declare.ts'

export const documentation = family(
  'documentation',
  {
    slug: 'confluence',
    title: 'Confluence Workspace',
    description: 'A Confluence workspace instead of the wiki.',
    fields: [
      required('confluence_url', 'Address of the workspace', {
        format: 'link',
        // Only of the vendor's cloud.
        pattern: /^https:\/\/[^/\s?#@]+\.atlassian\.net\/wiki(?:\/[^\s]*)?$/,
        help: 'As `https://example.atlassian.net/wiki`.',
      }),
    ],
  },
  {
    slug: 'external-wiki',
    title: 'External wiki',
    description: 'A wiki elsewhere, which the sidebar leads to.',
    fields: [required('external_wiki_url', 'Address of the wiki', { format: 'link' })],
  },
  {
    slug: 'shimo',
    title: 'Shimo',
    description: 'A Shimo workspace instead of the wiki.',
    fields: [required('external_wiki_url', 'Address of the workspace', { format: 'link' })],
  },
)

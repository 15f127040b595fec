const texts = import.meta.glob<string>('../../../docs/guide/*.md', { query: '?raw', import: 'default' })
const pictures = import.meta.glob<string>('../../../docs/guide/images/*', {
  query: '?url',
  import: 'default',
  eager: true,
})

const FOLDER = '../../../docs/guide/'

/** The pages of the guide in their order: the name of the file and the title. */
export const GUIDE: readonly { name: string; title: string }[] = [
  { name: 'first-project', title: 'Your first project' },
  { name: 'git', title: 'Git over HTTP and SSH' },
  { name: 'merge-requests', title: 'Merge requests and review' },
  { name: 'issues', title: 'Issues and boards' },
  { name: 'pipelines', title: 'Pipelines and runners' },
  { name: 'releases', title: 'Releases' },
  { name: 'moving', title: 'Moving in and out' },
  { name: 'backup', title: 'Backup and restore' },
  { name: 'users', title: 'Users and administration' },
  { name: 'network', title: 'Sharing on a network' },
  { name: 'application', title: 'The application' },
  { name: 'api', title: 'API and clients' },
  { name: 'troubleshooting', title: 'Troubleshooting' },
]

/** Loads a page as Markdown, without its title. Links and pictures lead to those of the window. */
export const loadPage = async (name: string): Promise<string> => {
  const text = (await texts[`${FOLDER}${name}.md`]?.()) ?? ''
  return text
    .replace(/^# .*\n+/, '')
    .replaceAll(/\]\((?:\.\/)?([a-z-]+)\.md\)/g, '](/help/guide/$1)')
    .replaceAll(/\]\((images\/[^)]+)\)/g, (link, path: string) => {
      const url = pictures[`${FOLDER}${path}`]
      return url ? `](${url})` : link
    })
}

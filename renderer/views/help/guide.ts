import { t } from '../../locales/t.ts'
const texts = import.meta.glob<string>('../../../docs/guide/*.md', { query: '?raw', import: 'default' })
const pictures = import.meta.glob<string>('../../../docs/guide/images/*', {
  query: '?url',
  import: 'default',
  eager: true,
})

const FOLDER = '../../../docs/guide/'

/** The pages of the guide in their order: the name of the file and the title. */
export const GUIDE: readonly { name: string; title: string }[] = [
  { name: 'first-project', title: t('help.your_first_project') },
  { name: 'git', title: t('help.git_over_http_and_ssh') },
  { name: 'merge-requests', title: t('help.merge_requests_and_review') },
  { name: 'issues', title: t('help.issues_and_boards') },
  { name: 'pipelines', title: t('help.pipelines_and_runners') },
  { name: 'releases', title: t('common.releases') },
  { name: 'moving', title: t('help.moving_in_and_out') },
  { name: 'backup', title: t('help.backup_and_restore') },
  { name: 'users', title: t('help.users_and_administration') },
  { name: 'network', title: t('help.sharing_on_a_network') },
  { name: 'application', title: t('help.the_application') },
  { name: 'api', title: t('help.api_and_clients') },
  { name: 'workbench', title: t('help.the_workbench') },
  { name: 'troubleshooting', title: t('help.troubleshooting') },
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

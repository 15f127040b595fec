import type { Item } from '../../api/client.ts'
import { t } from '../../locales/t.ts'

/** A runner in a list. */
export type ListedRunner = Item<'GET /runners'>

const KINDS: Readonly<Record<string, string>> = {
  instance_type: t('runners.instance'),
  group_type: t('common.group'),
  project_type: t('common.project'),
}
export const kindWords = (type: string) => KINDS[type] ?? type

/** The dot before a runner and the word for it. */
export const stateOf = (runner: { paused: boolean; status: string | null; online: boolean | null }) => {
  if (runner.paused) return { tone: 'warn', word: t('runners.paused') }
  if (runner.online === true) return { tone: 'ok', word: t('runners.online') }
  if (runner.online === null || runner.status === 'never_contacted')
    return { tone: 'off', word: t('runners.never_contacted_2') }
  return { tone: 'off', word: runner.status === 'stale' ? t('runners.stale') : t('runners.offline') }
}

/** The name of a runner without a description. */
export const nameOf = (runner: { id: number; description: string | null }) =>
  runner.description || t('runners.runner_id', { id: runner.id })

/** Whether it accepts jobs now. */
export const takesJobs = (runner: { paused: boolean; online: boolean | null }) =>
  runner.online === true && !runner.paused

/** The registration commands of runners for each operating system. */
export const registerCommands = (url: string, token: string) =>
  ({
    linux: {
      label: t('runners.linux'),
      install: 'sudo apt install gitlab-runner',
      register: `gitlab-runner register --non-interactive --url ${url} --executor shell --token ${token}`,
      run: 'gitlab-runner run',
    },
    macos: {
      label: 'macOS',
      install: 'brew install gitlab-runner',
      register: `gitlab-runner register --non-interactive --url ${url} --executor shell --token ${token}`,
      run: 'brew services start gitlab-runner',
    },
    windows: {
      label: t('runners.windows'),
      install: 'winget install GitLab.Runner',
      register: `gitlab-runner.exe register --non-interactive --url ${url} --executor shell --shell powershell --token ${token}`,
      run: 'gitlab-runner.exe run',
    },
    docker: {
      label: t('runners.docker'),
      install: 'docker pull gitlab/gitlab-runner',
      register: `docker run --rm -v /srv/runner:/etc/gitlab-runner gitlab/gitlab-runner register --non-interactive --url ${url} --executor docker --docker-image alpine --token ${token}`,
      run: 'docker run -d -v /srv/runner:/etc/gitlab-runner -v /var/run/docker.sock:/var/run/docker.sock gitlab/gitlab-runner',
    },
  }) as const

/** The operating system of this browser or application. */
export const currentSystem = (): 'linux' | 'macos' | 'windows' => {
  const platform = navigator.platform.toLowerCase()
  if (platform.includes('mac')) return 'macos'
  return platform.includes('win') ? 'windows' : 'linux'
}

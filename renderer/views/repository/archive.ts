import { Download } from '@lucide/vue'
import type { MenuEntry } from '../../components/base/menu.ts'
import { t } from '../../locales/t.ts'

const FORMATS = ['zip', 'tar.gz', 'tar.bz2', 'tar'] as const

/** Addresses of a ref's files as one archive, in every format there is; with a path, only what is below it. */
export const archiveEntries = (projectId: number, ref: string, path = ''): MenuEntry[] =>
  FORMATS.map((format) => {
    const query = new URLSearchParams({ sha: ref, ...(path ? { path } : {}) })
    return {
      label: t('repository.download_format', { format }),
      icon: Download,
      href: `/api/v4/projects/${projectId}/repository/archive.${format}?${query}`,
    }
  })

import type { RouteRecordRaw } from 'vue-router'
import { listDetail } from '../../list-detail.ts'
import { t } from '../../locales/t.ts'

const edit = () => import('./EditReleaseView.vue')

export const projectRoutes: RouteRecordRaw[] = [
  listDetail('-/releases', t('releases.releases'), () => import('./ReleasesView.vue'), [
    { path: ':tag', component: () => import('./ReleaseView.vue') },
  ]),
  { path: '-/releases/new', component: edit },
  { path: '-/releases/:tag/edit', component: edit },
]

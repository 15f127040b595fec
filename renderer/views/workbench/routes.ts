import type { RouteRecordRaw } from 'vue-router'
import { listDetail } from '../../list-detail.ts'
import { t } from '../../locales/t.ts'

/** The workbench: what people use who write clients, bots and CI scripts against the instance. */
export const routes: RouteRecordRaw[] = [
  {
    path: '/-/workbench',
    redirect: '/-/workbench/inspector',
    component: () => import('./WorkbenchView.vue'),
    meta: { whole: true },
    children: [
      listDetail(
        '/-/workbench/inspector',
        t('inspector.requests'),
        () => import('./inspector/RequestsView.vue'),
        [{ path: ':request', component: () => import('./inspector/RequestView.vue') }],
      ),
      { path: '/-/workbench/clock', component: () => import('./ClockView.vue') },
      { path: '/-/workbench/snapshots', component: () => import('./SnapshotsView.vue') },
      { path: '/-/workbench/worlds', component: () => import('./WorldsView.vue') },
    ],
  },
]

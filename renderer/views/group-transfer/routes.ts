import type { RouteRecordRaw } from 'vue-router'

/** Groups from a file and from other instances. */
export const groupTransferRoutes: RouteRecordRaw[] = [
  { path: '/groups/new/import', component: () => import('./ImportGroupView.vue') },
  {
    path: '/groups/new/import/:id(\\d+)',
    component: () => import('./BulkImportView.vue'),
    props: ({ params }) => ({ id: Number(params.id) }),
  },
]

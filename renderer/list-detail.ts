import type { RouteRecordRaw, RouteComponent } from 'vue-router'

type Lazy = () => Promise<RouteComponent>

/** A list that shows its items next to it in a wide window; the paths of `details` are relative to the list's. */
export const listDetail = (
  path: string,
  label: string,
  list: Lazy,
  details: (Omit<RouteRecordRaw, 'component' | 'redirect'> & { component: Lazy })[],
): RouteRecordRaw => ({
  path,
  meta: { list: label },
  component: () => import('./components/frame/ListDetail.vue'),
  children: [
    { path: '', components: { list } },
    ...details.map(
      ({ component, ...rest }) =>
        ({
          ...rest,
          components: { default: component, list },
          meta: { ...rest.meta, beside: true },
        }) as RouteRecordRaw,
    ),
  ],
})

/** Who an address is. */
export const names = {
  "name.svc": "svc {service}",
  "name.pod": "pod {pod}",
  "name.on": "{what} on {node}",
  "name.endpoint": "endpoint of svc {service}",
  "name.balancer": "load balancer",
  "name.balancer-named": "load balancer {name}",
  "name.balancer-of": "load balancer of {service}",
  "name.own-address": "{what}, its own address",
  "name.outside": "outside",
  "name.node-port": "{host}, NodePort of {service}",
  "name.device": "{host}, {device}",
  "name.node": "node {name}",
  "name.lb": "lb {name}",
  "name.vm": "vm {name}",
  "name.client": "client {name}",
  "name.router": "router {name}",
} as const;

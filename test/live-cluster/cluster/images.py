"""Packs three folders as images that `ctr images import` takes: busybox, pause, and the roots that kube-proxy's pod mounts into."""
import tarfile,io,json,hashlib,sys,os
def mk(out,name,root,entry):
    b=io.BytesIO(); t=tarfile.open(fileobj=b,mode='w')
    t.add(root,arcname='.',filter=lambda i:(setattr(i,'uid',0),setattr(i,'gid',0),setattr(i,'uname',''),setattr(i,'gname',''),setattr(i,'mtime',0),i)[-1])
    t.close(); layer=b.getvalue(); d=hashlib.sha256(layer).hexdigest()
    cfg=json.dumps({"architecture":"amd64","os":"linux","config":{"Env":["PATH=/bin:/usr/bin:/sbin:/usr/sbin"],**entry},"rootfs":{"type":"layers","diff_ids":["sha256:"+d]},"history":[{"created_by":"local"}]}).encode()
    c=hashlib.sha256(cfg).hexdigest()
    o=tarfile.open(out,'w')
    def put(n,data):
        i=tarfile.TarInfo(n); i.size=len(data); o.addfile(i,io.BytesIO(data))
    put(d+'/layer.tar',layer); put(c+'.json',cfg)
    put('manifest.json',json.dumps([{"Config":c+".json","RepoTags":[name],"Layers":[d+"/layer.tar"]}]).encode()); o.close()
os.chdir(sys.argv[1])
mk('busybox.tar','docker.io/library/busybox:latest','busybox',{"Cmd":["sh"]})
mk('pause.tar','registry.k8s.io/pause:3.10','pause',{"Entrypoint":["/pause"]})
mk('kube-proxy.tar','registry.k8s.io/kube-proxy:'+os.environ.get('VERSION','v1.37.1'),'kube-proxy',{"Cmd":["/bin/sh"]})

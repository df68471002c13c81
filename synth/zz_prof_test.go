//go:build cgo && !noz3

package synth
import ("testing";"os";"context";"time";"cdpor/lang";"cdpor/constraints";"path/filepath")
func TestZZ(t *testing.T){
 files,_:=filepath.Glob("../testdata/programs/*.yaml")
 for _,f:=range files {
  b,_:=os.ReadFile(f)
  src,err:=lang.Load(f,b,lang.Options{}); if err!=nil {t.Fatal(err)}
  st:=time.Now()
  set,r,err:=Synthesize(context.Background(),src.Program,Options{}); if err!=nil {t.Fatal(err)}
  t.Logf("%s %v pairs %d queries %d exact %d unknown %d\n%s",f,time.Since(st),r.Pairs,r.Queries,r.Exact,r.Unknown,set.Format())
  set2,err:=constraints.Load(src.Program,"x",set.Format()); if err!=nil {t.Error(err); continue}
  rep,err:=Check(context.Background(),src.Program,set2,Options{})
  if err!=nil||!rep.OK() {t.Error(err); for _,f:=range rep.Findings {t.Error(f.Text())}}
 }
}
